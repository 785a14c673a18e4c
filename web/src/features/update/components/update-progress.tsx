import { Circle, CircleCheck, Clock, LoaderCircle } from 'lucide-react'
import { cn } from '@/lib/cn'
import { formatTime, formatVersion } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useTimeZone } from '@/lib/live/use-time-zone'
import type { PartUpdate, UpdateStatus } from '../data'
import { currentPart, shownProgress } from '../model'
import { ProgressRing } from './progress-ring'
import { switchText, UpdateHints } from './update-hints'

type Props = {
  sn: string | null
  phase: 'waiting' | 'started'
  status: UpdateStatus | undefined
  /** When the update service last answered, if it does not answer now; null while it answers. */
  staleSince: number | null
}

/** The update's progress. Stages are announced; the percentage is not. */
export function UpdateProgress({ sn, phase, status, staleSince }: Props) {
  const { t, locale } = useT()
  const timeZone = useTimeZone(sn ?? undefined)
  const running = phase === 'started' && status !== undefined
  const present = running ? currentPart(status) : null
  return (
    <div className="grid gap-5">
      <div className="grid justify-items-center gap-6 sm:grid-cols-[auto_minmax(0,1fr)] sm:items-center sm:justify-items-start">
        <ProgressRing percent={running ? shownProgress(status) : null} label={t('update.progress')} />
        <div className="grid w-full min-w-0 gap-3">
          <div role="status">
            <p className="text-2xl font-semibold">
              {status?.switch
                ? switchText(status.switch, t)
                : t(running ? `update.stage.${status.stage ?? 'waiting'}` : 'update.waiting')}
            </p>
            {present && (
              <p className="num mt-0.5 text-md text-muted">
                {t('update.part_of', {
                  number: present.number,
                  count: status?.updates.length ?? 1,
                  part: t(`update.part.${present.part.type}`),
                })}
              </p>
            )}
            {staleSince !== null && (
              <p className="num mt-1 text-sm text-warn">
                {t('update.stale', { time: formatTime(staleSince, { locale, timeZone }) })}
              </p>
            )}
          </div>
          {running && <Parts status={status} present={present?.part ?? null} />}
          <p className="text-sm text-muted">{t(running ? 'update.goes_on' : 'update.goes_on.waiting')}</p>
        </div>
      </div>
      <UpdateHints status={status} waiting={phase === 'waiting'} />
    </div>
  )
}

function Parts({ status, present }: { status: UpdateStatus; present: PartUpdate | null }) {
  // Between two parts the next one waits for the main switch.
  const now = status.switch === null ? 'now' : 'waiting'
  return (
    <ul className="grid gap-1.5">
      {status.updates.map((part) => (
        <PartRow
          key={part.type}
          part={part}
          state={part.new_update ? (part === present ? now : 'later') : 'done'}
        />
      ))}
    </ul>
  )
}

const STYLES = {
  done: { icon: CircleCheck, mark: 'text-ok' },
  now: { icon: LoaderCircle, mark: 'animate-spin text-grid-text' },
  waiting: { icon: Clock, mark: 'text-warn' },
  later: { icon: Circle, mark: 'text-muted' },
} as const

function PartRow({ part, state }: { part: PartUpdate; state: keyof typeof STYLES }) {
  const { t } = useT()
  const { icon: Icon, mark } = STYLES[state]
  return (
    <li className="flex flex-wrap items-center gap-x-2 text-md">
      <Icon aria-hidden className={cn('size-4 shrink-0', mark)} />
      <span className="num font-medium">
        {t(`update.part.${part.type}`)} {formatVersion(part.version)}
      </span>
      <span className="text-muted">{t(`update.part_state.${state}`)}</span>
    </li>
  )
}
