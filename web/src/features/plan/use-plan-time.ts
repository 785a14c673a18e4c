import { formatTick, formatTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useLive } from '@/lib/live/use-live'
import { siteDayOf } from '@/lib/site-day'

/** Formats times of a plan on the clock of its site. */
export function usePlanTime(sn: string) {
  const { locale } = useT()
  const { data: live } = useLive()
  const timeZone = live?.entries[sn]?.time_zone
  const at = { locale, timeZone }
  const now = Date.now() + (live?.skew ?? 0)
  const clock = (ms: number) => formatTime(ms, at)
  return {
    timeZone,
    /** "02:00" */
    clock,
    /** 0 to 23. */
    hourOf: (ms: number) => Number(clock(ms).slice(0, 2)),
    /** "Mo 16." */
    day: (ms: number) => formatTick(ms, 'weekday', at),
    /** "02:00" today, "Mo 16., 02:00" on other days. */
    moment: (ms: number) =>
      siteDayOf(ms, timeZone) === siteDayOf(now, timeZone)
        ? clock(ms)
        : `${formatTick(ms, 'weekday', at)}, ${clock(ms)}`,
  }
}
