import { formatDayOfYear, formatTime } from '@/lib/format'
import type { Locale } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { siteDayOf } from '@/lib/site-day'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const spans = new Map<string, Intl.NumberFormat>()

/** "3 Tg.", "5 Std.", "12 Min.": rounded down. */
export function formatSpan(ms: number, locale: Locale): string {
  const [unit, length] = ms >= DAY ? ['day', DAY] : ms >= HOUR ? ['hour', HOUR] : ['minute', MINUTE]
  const key = `${locale}:${unit}`
  const format =
    spans.get(key) ??
    new Intl.NumberFormat(locale, { style: 'unit', unit: unit as string, unitDisplay: 'short' })
  spans.set(key, format)
  return format.format(Math.max(0, Math.floor(ms / (length as number))))
}

/** Formats the last contact, in the browser's time zone. */
export function useContactText(now: number) {
  const { locale } = useT()
  return {
    span: (since: number) => formatSpan(now - since, locale),
    /** The time for today, the date for this year, otherwise month and year. */
    clock: (at: number) => {
      const [day, today] = [siteDayOf(at, undefined), siteDayOf(now, undefined)]
      if (day === today) return formatTime(at, { locale })
      return day.slice(0, 4) === today.slice(0, 4) ? formatDayOfYear(at, { locale }) : day.slice(0, 7)
    },
  }
}
