import { useId } from 'react'
import { cn } from '@/lib/cn'
import { formatVersion, joinQuantity, percentQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import type { UpdateStatus } from '../data'
import { phaseOf, shownProgress } from '../model'

type Props = {
  systems: readonly { sn: string; status: UpdateStatus }[]
  /** Every listed system has an update under way. */
  begun: boolean
  chosen: string | null
  onChoose: (sn: string) => void
}

/** The systems with an update. Radio buttons, so arrow keys work. */
export function ChooseStep({ systems, begun, chosen, onChoose }: Props) {
  const { t } = useT()
  const name = useId()
  return (
    <div className="grid gap-4">
      {!begun && (
        <p className="text-lg text-muted">
          {t(
            systems.some(({ status }) => status.checks.needs_off)
              ? 'update.choose.text'
              : 'update.choose.running',
          )}
        </p>
      )}
      <fieldset className="grid gap-2.5">
        <legend className="sr-only">{t('update.choose.legend')}</legend>
        {systems.map(({ sn, status }) => (
          <label
            key={sn}
            className={cn(
              'flex min-h-14 cursor-pointer items-center gap-3.5 rounded-xl border px-4 py-3 transition-colors hover:bg-surface-2',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus',
              sn === chosen ? 'border-accent bg-surface-2' : 'border-line-strong',
            )}
          >
            <input
              type="radio"
              name={name}
              value={sn}
              checked={sn === chosen}
              onChange={() => onChoose(sn)}
              className="size-5 shrink-0 accent-accent focus-visible:outline-none"
            />
            <span className="min-w-0">
              <span className="num block text-lg font-semibold">{sn}</span>
              <span className="num block text-sm text-muted">
                <Offer status={status} />
              </span>
            </span>
          </label>
        ))}
      </fieldset>
    </div>
  )
}

/** A system's new version, or its progress. */
function Offer({ status }: { status: UpdateStatus }) {
  const { t, locale } = useT()
  const phase = phaseOf(status)
  if (status.state === 'waits_for_switch') return t('update.list.switch')
  if (phase === 'waiting') return t('update.list.waiting')
  if (phase === 'started')
    return t('update.list.started', { percent: joinQuantity(percentQuantity(shownProgress(status), locale)) })
  const parts = status.updates.filter((part) => part.new_update)
  const offer = parts
    .map(({ type, from_version, version }) => {
      const [from, to] = [formatVersion(from_version), formatVersion(version)]
      return `${t(`update.part.${type}`)} ${t('update.from_to_short', { from, to })}`
    })
    .join(' · ')
  return phase === 'interrupted' ? `${t('update.list.interrupted')} · ${offer}` : offer
}
