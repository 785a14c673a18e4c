import type { ReactNode } from 'react'

/** The only `h1` of a page; it receives the focus after navigation. */
export function PageHeading({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <div className="mb-5 flex flex-wrap items-baseline gap-x-4 gap-y-1 lg:mb-6">
      <h1 className="text-[24px] leading-tight font-semibold tracking-tight">{children}</h1>
      {aside && <p className="num text-[14px] text-muted">{aside}</p>}
    </div>
  )
}
