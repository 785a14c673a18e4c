import type { UseQueryResult } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { NotLoaded } from '@/components/ui/not-loaded'
import { PagePart } from '@/components/ui/page-part'
import { Skeleton } from '@/components/ui/skeleton'
import type { Graph } from '@/lib/data/charts'
import { useT } from '@/lib/i18n/use-t'
import { lazyPart } from '@/lib/lazy-part'
import type { Earlier } from '../model/before'
import type { Extents } from '../model/extent'
import type { Series } from '../model/series'
import type { Summary } from '../model/summary'
import type { PlotGroup } from '../plot/group'
import type { SystemName } from '../use-systems'
import { ChartView } from './chart-view'

/** Loaded on demand: most people have one system and use the drawing. */
const PanelHeading = lazyPart(async () => (await import('./panel-heading')).PanelHeading)
const ChartTable = lazyPart(async () => (await import('./chart-table')).ChartTable)

type Props = {
  query: UseQueryResult<Graph>
  series: readonly Series[]
  table: boolean
  group: PlotGroup
  title: string
  system: SystemName
  /** Several systems below each other, each with its name and the same height. */
  several: boolean
  summary: Summary
  earlier: Earlier | undefined
  onRemove: () => void
  onCursor?: (place: number | null) => void
  extents: Extents | undefined
  /** Sets the height of the drawing. */
  className: string
}

/** One system's chart or table, or the reason why there is none. */
export function ChartPanel({
  query,
  several,
  system,
  summary,
  onCursor,
  onRemove,
  className,
  ...rest
}: Props) {
  const { t } = useT()
  const { data: graph, error, isFetching, refetch } = query
  const { series, table, title, group, extents, earlier } = rest
  const [place, setPlace] = useState<number | null>(null)
  const onMove = useCallback(
    (next: number | null) => {
      setPlace(next)
      onCursor?.(next)
    },
    [onCursor],
  )
  const name = several ? system.name : ''
  const heading = several ? `${title}, ${name}` : title
  return (
    <div
      className={several ? 'border-t border-line pt-3 first:border-0 first:pt-0' : undefined}
      aria-busy={!graph && !error}
    >
      {several && (
        <PagePart key="heading" fallback={<div className="mb-1 h-9" />}>
          <PanelHeading
            system={system}
            graph={graph}
            series={series}
            place={table ? null : place}
            summary={summary}
            earlier={earlier}
            onRemove={onRemove}
          />
        </PagePart>
      )}
      {error && !graph && (
        <NotLoaded title={t('chart.failed')} error={error} busy={isFetching} onRetry={refetch} />
      )}
      {!graph && !error && <Skeleton key="waiting" className={className} />}
      {graph && table && (
        <PagePart
          key="table"
          fallback={
            <div aria-busy>
              <Skeleton className={className} />
            </div>
          }
        >
          <ChartTable graph={graph} series={series} earlier={earlier} title={heading} />
        </PagePart>
      )}
      {graph && !table && (
        <PagePart key="view">
          <ChartView
            group={group}
            graph={graph}
            series={series}
            earlier={earlier}
            name={name}
            title={heading}
            place={place}
            zoom={summary.zoom}
            onCursor={onMove}
            extents={extents}
            className={className}
          />
        </PagePart>
      )}
    </div>
  )
}
