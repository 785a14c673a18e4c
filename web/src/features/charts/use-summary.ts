import { freshnessOf, readingOf } from '@/components/live/model/reading'
import type { Graph } from '@/lib/data/charts'
import { useT } from '@/lib/i18n/use-t'
import { useLive } from '@/lib/live/use-live'
import { useNow } from '@/lib/use-now'
import { pointTime } from './model/point-time'
import type { Series } from './model/series'
import { kindOf, type Summary } from './model/summary'
import type { useChart } from './use-chart'

/** Ages change slowly. In ms. */
const AGE_CHECK = 5_000

/** The values beside the series without a cursor. */
export function useSummary({ systems, choice, today }: ReturnType<typeof useChart>) {
  const { data, dataUpdatedAt } = useLive()
  const skew = data?.skew ?? 0
  const now = useNow(AGE_CHECK) + skew
  const liveOf = (sn: string | undefined) => {
    const entry = sn === undefined ? undefined : data?.entries[sn]
    return entry && freshnessOf(readingOf(entry), now, dataUpdatedAt + skew) === 'live' ? entry : undefined
  }
  const kind = kindOf(
    choice,
    today,
    systems.some((sn) => liveOf(sn) !== undefined),
  )
  return (sn: string | undefined): Summary => ({ kind, zoom: choice.zoom, live: liveOf(sn) })
}

type Shown = {
  series: readonly Series[]
  kind: Summary['kind']
  graph: Graph | undefined
  place: number | null
}

/** The description of the values: "Werte jetzt", "Mittelwerte · Energie gesamt" or "Werte: 14:15". */
export function useValuesText({ series, kind, graph, place }: Shown): string {
  const { t, locale } = useT()
  const at = place === null ? undefined : graph?.time[place]
  if (graph && at !== undefined) return t('chart.values.at', { time: pointTime(graph, at, locale) })
  const energies = series.filter(({ unit }) => unit === 'energy')
  return [
    energies.length < series.length && t(`chart.values.${kind}`),
    energies.length > 0 && t('chart.values.energy'),
  ]
    .filter((text) => text !== false)
    .join(' · ')
}
