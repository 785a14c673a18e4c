import type { ReactNode } from 'react'

/** The only `h1` of a page; it receives the focus after navigation. */
export function PageHeading({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <div className="mb-5 flex flex-wrap items-baseline gap-x-4 gap-y-1 lg:mb-6">
      <h1 className="text-5xl leading-tight font-semibold tracking-tight">{children}</h1>
      {aside && <p className="num text-md text-muted">{aside}</p>}
    </div>
  )
}
