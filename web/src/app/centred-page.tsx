import type { ReactNode } from 'react'
import { Wordmark } from '@/components/ui/logo'
import { Preferences } from './preferences'

type MessageProps = {
  /** Shown above the title. */
  mark: ReactNode
  title: string
  text: string
  action: ReactNode
}

/** Title, text and one action, centred in the parent. */
export function CentredMessage({ mark, title, text, action }: MessageProps) {
  return (
    <div className="grid justify-items-center gap-4 py-12 text-center">
      {mark}
      <h1 className="text-7xl leading-tight font-semibold tracking-tight text-balance">{title}</h1>
      <p className="max-w-md text-xl text-balance text-muted">{text}</p>
      <div className="mt-3">{action}</div>
    </div>
  )
}

/** A full page without a layout. */
export function CentredPage({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex flex-wrap items-center justify-between px-5 pt-3 lg:px-12 lg:pt-9">
        <Wordmark className="text-2xl" />
        <Preferences />
      </header>
      <main id="main" tabIndex={-1} className="grid flex-1 place-content-center px-6 outline-none">
        {children}
      </main>
    </div>
  )
}
