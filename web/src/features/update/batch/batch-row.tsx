import { CircleAlert, CircleCheck, CircleMinus, CloudDownload } from 'lucide-react'
import { refusalText } from '@/lib/form/refusal-text'
import { formatVersion } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import type { UpdateStatus } from '../data'
import type { Candidate, StartOutcome, StartState } from './model'

type Props = {
  candidate: Candidate
  status: UpdateStatus | undefined
  startState: StartState
  /** Set once the start was requested. */
  outcome: StartOutcome | undefined
}

/** One system: its new version, why nothing can be started, or the result of the start. */
export function BatchRow({ candidate: { sn, customer }, status, startState, outcome }: Props) {
  const { t, locale } = useT()
  const state = outcome?.state ?? startState
  const { Icon, tone } = STYLES[state]
  return (
    <li data-standing={state} className="flex items-start gap-3 py-3 text-md">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${tone}`} />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          <span className="num font-medium">{sn}</span>
          {customer && <span className="text-muted"> · {customer}</span>}
        </p>
        <p className={state === 'failed' ? 'text-danger' : 'text-muted'}>
          {t(`update.batch.standing.${state}`)}
          {state === 'ready' && status && `: ${partsText(status)}`}
          {outcome?.state === 'failed' && `: ${refusalText(outcome.error, t, locale)}`}
        </p>
      </div>
    </li>
  )

  function partsText({ updates }: UpdateStatus) {
    const parts = updates.filter((part) => part.new_update)
    return parts
      .map(({ type, version }) => `${t(`update.part.${type}`)} ${formatVersion(version)}`)
      .join(', ')
  }
}

const waits = { Icon: CircleMinus, tone: 'text-muted' }
const warns = { Icon: CircleAlert, tone: 'text-danger' }
const STYLES = {
  asking: waits,
  none: waits,
  running: waits,
  no_service: waits,
  starting: waits,
  unknown: warns,
  unreachable: warns,
  failed: warns,
  ready: { Icon: CloudDownload, tone: 'text-grid-text' },
  started: { Icon: CircleCheck, tone: 'text-ok' },
} as const
