import { cn } from '@/lib/cn'
import { balanceOf, type Energies, selfConsumptionOf, selfSufficiencyOf } from '@/lib/energy'
import { formatNumber, joinQuantity, percentQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { EnergySplit } from './energy-split'

type Props = {
  energies: Energies | null
  /** "As of 14:20", when the sums are older than now. */
  asOf: string | null
}

/** Today's self-sufficiency and self-consumption, and the energy's sources and uses. */
export function TodayCard({ energies, asOf }: Props) {
  const { t, locale } = useT()
  const live = asOf === null
  const balance = energies && balanceOf(energies)
  const share = energies && selfSufficiencyOf(energies, balance)
  const ownUse = selfConsumptionOf(balance)
  return (
    <section
      aria-labelledby="today"
      className="card flex flex-1 flex-wrap gap-4 p-4 sm:flex-nowrap sm:items-center sm:gap-7 sm:p-5"
    >
      <h2 id="today" className="sr-only">
        {t('today.title')}
      </h2>
      <div className="grid shrink-0 justify-items-center gap-2 text-center">
        <Gauge percent={share} live={live} />
        <p className="text-xs text-muted">
          {t('today.self_consumption')}{' '}
          <span className="num font-medium text-text">
            {ownUse === null ? '–' : joinQuantity(percentQuantity(ownUse, locale))}
          </span>
        </p>
        {asOf && <p className="num text-xs text-muted">{asOf}</p>}
      </div>
      <div className="grid min-w-0 flex-1 basis-[11em] gap-4">
        <EnergySplit
          live={live}
          title={t('today.produced')}
          total={energies?.pv ?? null}
          parts={
            balance && [
              { label: t('today.direct'), energy: balance.directlyUsed, colour: 'pv' },
              { label: t('today.stored'), energy: balance.stored, colour: 'battery' },
              { label: t('today.fed_in'), energy: balance.fedIn, colour: 'grid', hatched: true },
            ]
          }
        />
        <EnergySplit
          live={live}
          title={t('today.consumed')}
          total={balance?.consumed ?? null}
          parts={
            balance && [
              { label: t('today.from_sun'), energy: balance.fromSun, colour: 'pv' },
              { label: t('today.from_battery'), energy: balance.fromBattery, colour: 'battery' },
              { label: t('today.from_grid'), energy: balance.fromGrid, colour: 'grid' },
            ]
          }
        />
      </div>
    </section>
  )
}

const RING = 52
const LENGTH = 2 * Math.PI * RING

function Gauge({ percent, live }: { percent: number | null; live: boolean }) {
  const { t, locale } = useT()
  return (
    <div className="relative grid size-28 place-items-center sm:size-32">
      <svg
        aria-hidden
        viewBox="0 0 128 128"
        className={cn('absolute inset-0', !live && 'opacity-60 grayscale')}
      >
        <circle cx="64" cy="64" r={RING} fill="none" stroke="var(--surface-2)" strokeWidth="11" />
        {percent !== null && percent > 0 && (
          <circle
            cx="64"
            cy="64"
            r={RING}
            fill="none"
            stroke="var(--battery)"
            strokeWidth="11"
            strokeLinecap="round"
            strokeDasharray={`${(LENGTH * percent) / 100} ${LENGTH}`}
            transform="rotate(-90 64 64)"
            className="flow-ring"
          />
        )}
      </svg>
      <p className="relative text-center leading-tight">
        <span className="num block text-share leading-none font-semibold">
          {percent === null ? '–' : formatNumber(percent, locale)}
          {percent !== null && (
            <span className="ml-0.5 text-md font-medium text-muted">
              {percentQuantity(percent, locale).unit}
            </span>
          )}
        </span>
        <span className="mt-1 block max-w-18 text-2xs wrap-break-word hyphens-auto text-muted">
          {t('today.self_sufficiency')}
        </span>
      </p>
    </div>
  )
}
