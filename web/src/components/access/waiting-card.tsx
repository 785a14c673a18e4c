import { ChevronRight } from 'lucide-react'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { useWaiting, type Waiting } from './use-waiting'
import { WAITING_ICON } from './waiting-icon'
import { WaitingLink } from './waiting-link'

/** What an electrician can do something about, on the page where they land: each line leads there. */
export function WaitingCard({ className }: { className?: string }) {
  const { t } = useT()
  const all = useWaiting()
  if (all.length === 0) return null
  return (
    <section aria-labelledby="waiting" className={cn('card px-4 py-2 lg:px-5', className)}>
      <h2 id="waiting" className="pt-1.5 text-[13px] font-medium text-muted">
        {t('pending.title')}
      </h2>
      <ul className="divide-y divide-line">
        {all.map((waiting) => (
          <li key={waiting.kind}>
            <Line waiting={waiting} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Line({ waiting }: { waiting: Waiting }) {
  const { t } = useT()
  const Icon = WAITING_ICON[waiting.kind]
  return (
    <WaitingLink
      waiting={waiting}
      className="flex min-h-11 items-center gap-3 rounded-lg py-2 text-[14px] hover:underline"
    >
      <Icon aria-hidden className="size-4.5 shrink-0 text-warn" />
      <span className="min-w-0 flex-1">
        {t(`pending.${waiting.kind}`, { count: waiting.count })}
        {waiting.serials.length <= 3 && (
          <span className="num text-[13px] text-muted wrap-anywhere"> {waiting.serials.join(', ')}</span>
        )}
      </span>
      <ChevronRight aria-hidden className="size-4 shrink-0 text-muted" />
    </WaitingLink>
  )
}
