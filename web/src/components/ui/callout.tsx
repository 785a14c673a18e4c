import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'

export type Tone = 'info' | 'ok' | 'warn' | 'danger'

const STYLES = {
  info: { icon: Info, box: 'bg-info-bg border-grid/40', mark: 'text-grid-text' },
  ok: { icon: CircleCheck, box: 'bg-ok-bg border-ok/40', mark: 'text-ok' },
  warn: { icon: TriangleAlert, box: 'bg-warn-bg border-warn/40', mark: 'text-warn' },
  danger: { icon: CircleAlert, box: 'bg-danger-bg border-danger/40', mark: 'text-danger' },
} as const

type Props = {
  tone?: Tone
  /** A word beside the icon; each tone has a default. */
  title?: ReactNode
  children?: ReactNode
  action?: ReactNode
  className?: string
}

/** A message with an icon and a word for its tone, never colour alone. Warnings interrupt screen readers. */
export function Callout({ tone = 'info', title, children, action, className }: Props) {
  const { t } = useT()
  const { icon: Icon, box, mark } = STYLES[tone]
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      className={cn('flex gap-3 rounded-xl border px-4 py-3 text-md', box, className)}
    >
      <Icon aria-hidden className={cn('mt-px size-4.5 shrink-0', mark)} />
      <div className="min-w-0 flex-1">
        <p className={cn('font-semibold', mark)}>{title ?? t(`ui.tone.${tone}`)}</p>
        {children && <div className="mt-0.5 text-text">{children}</div>}
        {action && <div className="mt-3">{action}</div>}
      </div>
    </div>
  )
}
