import { useQuery } from '@tanstack/react-query'
import { energyQuery } from '@/lib/data/charts'
import { totalsOf } from '@/lib/energy'
import { useT } from '@/lib/i18n/use-t'
import type { LiveEntry } from '@/lib/live/live'
import { useLive } from '@/lib/live/use-live'
import { siteDayOf } from '@/lib/site-day'
import { useClockText } from './live-mark'
import { countedUntil, freshnessOf, readingOf } from './model/reading'

type CurrentValuesProps = {
  sn: string
  entry: LiveEntry
  /** Server time minus local time. */
  skew: number
  /** Server time. */
  now: number
}

/** A system's current values, their age, and today's energies with the time that they cover. */
export function useCurrentValues({ sn, entry, skew, now }: CurrentValuesProps) {
  const { t } = useT()
  const { data: live, dataUpdatedAt: heardAt } = useLive()
  const reading = readingOf(entry, live?.entries)
  const freshness = freshnessOf(reading, now, heardAt + skew)
  const day = siteDayOf(now, reading.timeZone)
  const { data: today, dataUpdatedAt } = useQuery(energyQuery(sn, `${day}_${day}`))
  const energies = today ? totalsOf(today) : null
  const known = energies && Object.values(energies).some((energy) => energy !== null)
  const until = known ? countedUntil(reading, freshness, dataUpdatedAt + skew, now) : null
  const clock = useClockText(reading.timeZone, now)
  const asOf = until === null ? null : t('live.as_of', { time: clock(until) })
  return { reading, freshness, day, energies, asOf }
}
