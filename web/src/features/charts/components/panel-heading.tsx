import { X } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { goToRegion } from '@/components/ui/region'
import type { Graph } from '@/lib/data/charts'
import { useT } from '@/lib/i18n/use-t'
import type { Earlier } from '../model/before'
import type { Series } from '../model/series'
import type { Summary } from '../model/summary'
import type { SystemName } from '../use-systems'
import { SeriesMark } from './series-mark'
import { SeriesValue } from './series-value'

type Props = {
  system: SystemName
  graph: Graph | undefined
  series: readonly Series[]
  place: number | null
  summary: Summary
  earlier: Earlier | undefined
  onRemove: () => void
}

/** A chart's system, and its values at the cursor. */
export function PanelHeading({ system, graph, series, place, summary, earlier, onRemove }: Props) {
  const { name, more } = system
  const { t } = useT()
  return (
    <div className="mb-1 flex items-start gap-3">
      <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-4 gap-y-1 py-1">
        <h3 className="num text-md font-semibold">
          {name} <span className="font-normal text-muted">{more}</span>
        </h3>
        <ul className="flex min-w-0 flex-wrap gap-x-3 gap-y-0.5 text-chip">
          {series.map((one) => (
            <li key={one.code} className="flex items-center gap-1.5">
              <SeriesMark series={one} />
              <span className="sr-only">{t(one.label)}</span>
              <SeriesValue series={one} graph={graph} place={place} summary={summary} earlier={earlier} />
            </li>
          ))}
        </ul>
      </div>
      <Button
        variant="ghost"
        size="s"
        className="-my-0.5 px-2"
        aria-label={t('chart.remove_system', { system: name })}
        onClick={({ currentTarget }) => {
          goToRegion(currentTarget)
          onRemove()
        }}
      >
        <X aria-hidden className="size-4" />
      </Button>
    </div>
  )
}
