import { Activity, Check, Minus, TriangleAlert } from 'lucide-react'
import { Card } from '@/components/ui/card'
import { cn } from '@/lib/cn'
import { joinQuantity, voltageQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import type { FlagSets, LiveEntry } from '@/lib/live/live'
import { diagnosisOf, type Flag, phasesOf } from '../model/flags'

type Props = { sn: string; entry: LiveEntry; flags: FlagSets | undefined; live: boolean }

/** Diagnosis for electricians: phases, faults, running functions and setup. */
export function DiagnosisCard({ sn, entry, flags, live }: Props) {
  const { t } = useT()
  const { wrong, running, setup } = diagnosisOf(entry, flags, sn)
  return (
    <Card title={t('fleet.diagnosis')} description={live ? undefined : t('fleet.diagnosis.old')}>
      <div className="grid gap-6">
        <Phases entry={entry} live={live} />
        <section aria-labelledby="flags-now">
          <h3 id="flags-now" className="text-md font-medium">
            {t('fleet.flags')}
          </h3>
          {wrong.length + running.length === 0 ? (
            <p className="mt-2 flex items-center gap-2 text-sm text-muted">
              <Check aria-hidden className="size-4 shrink-0 text-ok" />
              {t('fleet.flags.none')}
            </p>
          ) : (
            <ul className="mt-2 grid gap-2.5">
              {wrong.map((flag) => (
                <FlagRow key={flag} flag={flag} wrong />
              ))}
              {running.map((flag) => (
                <FlagRow key={flag} flag={flag} />
              ))}
            </ul>
          )}
        </section>
        {setup.length > 0 && (
          <section aria-labelledby="flags-setup">
            <h3 id="flags-setup" className="text-md font-medium">
              {t('fleet.setup')}
            </h3>
            <dl className="mt-2 grid gap-x-6 gap-y-1.5 text-sm sm:grid-cols-2">
              {setup.map(({ flag, on }) => (
                <div key={flag} className="flex items-start justify-between gap-3">
                  <dt className="min-w-0 text-muted">{t(`fleet.flag.${flag}`)}</dt>
                  <dd className="flex shrink-0 items-center gap-1.5">
                    {on ? (
                      <Check aria-hidden className="size-4 text-ok" />
                    ) : (
                      <Minus aria-hidden className="size-4 text-muted" />
                    )}
                    {t(on ? 'fleet.yes' : 'fleet.no')}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        )}
      </div>
    </Card>
  )
}

function FlagRow({ flag, wrong = false }: { flag: Flag; wrong?: boolean }) {
  const { t } = useT()
  const Icon = wrong ? TriangleAlert : Activity
  return (
    <li className="flex gap-2.5 text-sm">
      <Icon aria-hidden className={cn('mt-0.5 size-4 shrink-0', wrong ? 'text-danger' : 'text-grid-text')} />
      <p className="min-w-0">
        <span className="font-medium">{t(`fleet.flag.${flag}`)}</span>{' '}
        <span className="num text-xs text-muted">({flag})</span>
      </p>
    </li>
  )
}

function Phases({ entry: { grid_voltages }, live }: { entry: LiveEntry; live: boolean }) {
  const { t, locale } = useT()
  const phases = phasesOf(grid_voltages)
  if (phases.length === 0) return null
  return (
    <section aria-labelledby="phases">
      <h3 id="phases" className="text-md font-medium">
        {t('fleet.phases')}
      </h3>
      <dl className="mt-2 grid grid-cols-3 gap-3">
        {phases.map(({ number, volts, inBand }) => (
          <div key={number} className="rounded-xl bg-surface-2 px-3 py-2">
            <dt className="text-xs text-muted">L{number}</dt>
            <dd className={cn('num text-xl font-semibold', !live && 'text-muted')}>
              {volts === null ? '–' : joinQuantity(voltageQuantity(volts, locale))}
            </dd>
            {!inBand && <dd className="text-xs text-danger">{t('fleet.phases.out')}</dd>}
          </div>
        ))}
      </dl>
    </section>
  )
}
