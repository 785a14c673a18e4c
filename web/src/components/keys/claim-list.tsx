import { useMutation } from '@tanstack/react-query'
import { Hourglass, TimerOff, UsersRound } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { addKeys, type Claim } from '@/lib/data/claims'
import { refusalText } from '@/lib/form/refusal-text'
import { formatCountdown } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useNow } from '@/lib/use-now'
import { timeLeft } from './model'
import { SwitchSteps } from './switch-steps'

/** Claims that wait for their main switch, with the time left. */
export function ClaimList({ claims }: { claims: Claim[] }) {
  const { t } = useT()
  const waiting = claims.some(({ status }) => status === 'waiting')
  return (
    <section aria-label={t('claims.title')} className="card p-4 text-md">
      <ul className="divide-y divide-line">
        {claims.map((claim) => (
          <ClaimRow key={claim.sn} claim={claim} />
        ))}
      </ul>
      {waiting && (
        <div className="mt-3 border-t border-line pt-3">
          <p className="font-semibold">{t('claims.what_to_do')}</p>
          <SwitchSteps />
        </div>
      )}
    </section>
  )
}

const ICON = { waiting: Hourglass, lapsed: TimerOff, contested: UsersRound } as const
type Status = keyof typeof ICON
const statusOf = (status: string): Status => (Object.hasOwn(ICON, status) ? (status as Status) : 'waiting')

function ClaimRow({ claim }: { claim: Claim }) {
  const { t, locale } = useT()
  const status = statusOf(claim.status)
  const Icon = ICON[status]
  const renew = useMutation({ mutationFn: () => addKeys(claim.sn) })
  return (
    <li className="grid gap-2 py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <strong className="num font-semibold break-all">{claim.sn}</strong>
        <span className="flex items-center gap-1.5 text-muted">
          <Icon aria-hidden className="size-4 shrink-0" />
          {t(`claims.${status}`)}
          {status === 'waiting' && <Countdown expiresAt={claim.expires_at} />}
        </span>
      </div>
      {status !== 'waiting' && <p className="text-muted">{t(`claims.${status}.text`)}</p>}
      {status === 'lapsed' && (
        <Button
          variant="outline"
          busy={renew.isPending}
          onClick={() => renew.mutate()}
          className="justify-self-start"
        >
          {t('claims.renew')}
        </Button>
      )}
      {renew.error && <Callout tone="danger">{refusalText(renew.error, t, locale)}</Callout>}
    </li>
  )
}

function Countdown({ expiresAt }: { expiresAt: number }) {
  const { t } = useT()
  const now = useNow()
  return (
    <span role="timer" className="num font-semibold text-text">
      {t('claims.time_left', { time: formatCountdown(timeLeft(expiresAt, now)) })}
    </span>
  )
}
