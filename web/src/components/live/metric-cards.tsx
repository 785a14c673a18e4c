import { useQuery } from '@tanstack/react-query'
import { BatteryMedium, Gauge, Leaf, Percent, SunMedium, UtilityPole } from 'lucide-react'
import { graphQuery } from '@/lib/data/charts'
import type { Energies } from '@/lib/energy'
import { consumptionOf } from '@/lib/energy'
import {
  energyQuantity,
  formatNumber,
  formatTime,
  joinQuantity,
  percentQuantity,
  powerQuantity,
  type Quantity,
  voltageQuantity,
} from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import type { SiteDay } from '@/lib/site-day'
import { useClockText } from './live-mark'
import { MetricCard } from './metric-card'
import { directionsOf, type Freshness, type Reading } from './model/reading'
import { extremesOf, withCurrentValue } from './model/spark'

/** Nominal grid voltage and its tolerance by EN 50160. */
const NOMINAL = { volts: 230, percent: 10 } as const

type Props = {
  sn: string
  day: SiteDay
  reading: Reading
  freshness: Freshness
  energies: Energies | null
  /** "As of 14:20", when the day's sums are older than now. */
  energiesAsOf: string | null
  now: number
}

/** The six cards: current values, and today's consumption. */
export function MetricCards({ sn, day, reading, freshness, energies, energiesAsOf, now }: Props) {
  const { t, locale } = useT()
  const request = { sn, interval: 'Day', date: day, resolution: 'quarter' } as const
  const series = ['m0', 'm1', 'm3', 'm6', 'm7', 'm8']
  const curves = useQuery(graphQuery({ ...request, method: 'mean', series }, true)).data
  const peaks = useQuery(graphQuery({ ...request, method: 'max', series: ['m6'] }, true)).data
  const clock = useClockText(reading.timeZone, now)

  const live = freshness === 'live'
  const asOf = reading.at === null ? null : t('live.as_of', { time: clock(reading.at) })
  /** An old value shows its time instead of a direction that may have changed. */
  const note = (word: string | null) => (live ? word : asOf)
  const quantity = (value: number | null, as: (value: number, language: typeof locale) => Quantity) =>
    value === null ? null : as(value, locale)
  const curve = (code: string) => curves?.series[code] ?? []

  const peak = withCurrentValue(extremesOf(peaks, 'm6'), reading.pv, reading.at)
  const charge = withCurrentValue(extremesOf(curves, 'm3'), reading.soc, reading.at)
  const { grid: gridWord, battery: batteryWord } = directionsOf(reading)
  const produced = energies?.pv ?? null
  return (
    <section aria-labelledby="metrics">
      <h2 id="metrics" className="sr-only">
        {t('card.title')}
      </h2>
      <div className="grid grid-cols-2 gap-2 sm:gap-3 xl:grid-cols-3">
        <MetricCard
          icon={SunMedium}
          label={t('card.pv_power')}
          value={quantity(reading.pv, powerQuantity)}
          note={note(
            peak && peak.high > 0
              ? t('card.peak', {
                  power: joinQuantity(powerQuantity(peak.high, locale)),
                  time: formatTime(peak.highAt, { locale, timeZone: reading.timeZone }),
                })
              : null,
          )}
          colour="pv"
          curve={curve('m6')}
          floor={0}
          live={live}
        />
        <MetricCard
          icon={BatteryMedium}
          label={t('card.battery_power')}
          value={quantity(reading.battery, powerQuantity)}
          note={note(batteryWord && t(`flow.battery.${batteryWord}`))}
          colour="battery"
          curve={curve('m1')}
          live={live}
        />
        <MetricCard
          icon={Percent}
          label={t('card.soc')}
          value={quantity(reading.soc, percentQuantity)}
          note={note(
            charge &&
              t('card.soc_range', {
                low: formatNumber(charge.low, locale),
                high: joinQuantity(percentQuantity(charge.high, locale)),
              }),
          )}
          colour="soc"
          curve={curve('m3')}
          floor={0}
          live={live}
        />
        <MetricCard
          icon={UtilityPole}
          label={t('card.grid_power')}
          value={quantity(reading.grid, powerQuantity)}
          note={note(gridWord && t(`flow.grid.${gridWord}`))}
          colour="grid"
          curve={curve('m0')}
          live={live}
        />
        <MetricCard
          icon={Gauge}
          label={t('card.grid_voltage')}
          value={quantity(reading.voltage, voltageQuantity)}
          note={note(
            t('card.nominal', {
              voltage: joinQuantity({ value: formatNumber(NOMINAL.volts, locale), unit: 'V' }),
              band: joinQuantity(percentQuantity(NOMINAL.percent, locale)),
            }),
          )}
          colour="grid"
          curve={curve('m7')}
          live={live}
        />
        <MetricCard
          icon={Leaf}
          label={t('card.energy')}
          value={quantity(energies && consumptionOf(energies), energyQuantity)}
          note={
            energiesAsOf ??
            (produced === null
              ? null
              : t('card.produced', { energy: joinQuantity(energyQuantity(produced, locale)) }))
          }
          colour="home"
          curve={curve('m8')}
          floor={0}
          live={energiesAsOf === null}
        />
      </div>
    </section>
  )
}
