import { useQuery } from '@tanstack/react-query'
import { forecastQuery } from '@/lib/data/forecast'
import { formatNumber } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import type { Series } from '../model/series'

/** The forecasts' error of the last week, if it is known. */
export function ForecastAccuracy({ sn, series }: { sn: string; series: readonly Series[] }) {
  const { t, locale } = useT()
  const { data } = useQuery(forecastQuery(sn))
  const { accuracy } = data ?? {}
  if (!accuracy) return null
  const percent = (value: number) => formatNumber(value, locale)
  const shown = (code: string) => series.some((one) => one.code === code)
  const notes = [
    shown('ef') &&
      accuracy.pv.error !== null &&
      t('forecast.pv_error', { percent: percent(accuracy.pv.error) }),
    shown('lf') &&
      accuracy.load.error !== null &&
      t('forecast.load_error', { percent: percent(accuracy.load.error) }),
  ].filter((note) => typeof note === 'string')
  return notes.length > 0 && <p>{t('forecast.accuracy', { notes: notes.join(', ') })}</p>
}
