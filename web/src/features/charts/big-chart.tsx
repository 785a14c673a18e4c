import { useId, useMemo, useState } from 'react'
import { Skeleton } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'
import type { Graph } from '@/lib/data/charts'
import { formatPeriod } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { ChartControls } from './components/chart-controls'
import { ChartHead } from './components/chart-head'
import { ChartNotes } from './components/chart-notes'
import { ChartPanel } from './components/chart-panel'
import { SeriesChips } from './components/series-chips'
import { type Earlier, earlierValues } from './model/before'
import { withSystem, withToggled } from './model/choice'
import { type Extents, extentsOf } from './model/extent'
import { type Series, seriesOf } from './model/series'
import { useChart } from './use-chart'
import { useSummary, useValuesText } from './use-summary'
import { useSystemNames } from './use-systems'

/** `ownPage`: higher, and may show several systems below each other. */
type Props = { ownPage?: boolean }

const HEIGHT = {
  onDashboard: 'h-55 sm:h-75',
  alone: 'h-75 lg:h-105',
  oneOfSeveral: 'h-52.5 lg:h-60',
}

/** A placeholder for the values, so that nothing moves. */
const NO_SUMMARY = {}

/** The big chart and its controls. Its state is in the address. */
export function BigChart({ ownPage = false }: Props) {
  const { t, locale } = useT()
  const chart = useChart(ownPage)
  const { systems, waiting, choice, search, queries, befores, change, group } = chart
  const nameOf = useSystemNames()
  const [place, setPlace] = useState<number | null>(null)
  const series = useSeries(choice.series)
  const title = `${t('chart.title')}, ${formatPeriod(choice.date, choice.interval, locale)}`
  const several = systems.length > 1
  const none = series.length === 0 || systems.length === 0
  const graphs = none ? [] : queries.flatMap(({ data }) => data ?? [])
  const extents = useExtents(several ? [...graphs, ...befores.flatMap((before) => before ?? [])] : [], series)
  const earlierOf = (index: number): Earlier | undefined => {
    const [graph, before] = [queries[index]?.data, befores[index]]
    return choice.before
      ? { before: choice.before, values: graph && before ? earlierValues(graph, before) : NO_SUMMARY }
      : undefined
  }
  const summaryOf = useSummary(chart)
  const summary = summaryOf(systems[0])
  const valuesText = useValuesText({ series, kind: summary.kind, graph: graphs[0], place })
  const values = { id: useId(), text: none ? '' : valuesText }
  const height = several ? HEIGHT.oneOfSeveral : HEIGHT[ownPage ? 'alone' : 'onDashboard']
  return (
    <section aria-labelledby="chart" className="card min-w-0 p-4 sm:p-5">
      <ChartHead
        chart={chart}
        title={title}
        values={values}
        nameOf={(sn) => nameOf(sn).name}
        ownPage={ownPage}
      />
      <SeriesChips
        chosen={choice.series}
        graph={several ? null : graphs[0]}
        place={place}
        summary={summary}
        earlier={several ? undefined : earlierOf(0)}
        describedBy={values.id}
        onToggle={(code) => change(withToggled(search, choice, code))}
      />
      <div className="mt-2 grid grid-cols-1 gap-3" aria-busy={waiting}>
        {none &&
          (waiting ? (
            <Skeleton className={height} />
          ) : (
            <NoChart className={height} asked={systems.length > 0} />
          ))}
        {!none &&
          systems.map((sn, index) => {
            const query = queries[index]
            return (
              query && (
                <ChartPanel
                  key={sn}
                  query={query}
                  series={series}
                  table={choice.table}
                  group={group}
                  title={title}
                  system={nameOf(sn)}
                  several={several}
                  summary={summaryOf(sn)}
                  earlier={earlierOf(index)}
                  onRemove={() => change(withSystem(search, systems, sn))}
                  onCursor={several ? undefined : setPlace}
                  extents={several ? extents : undefined}
                  className={height}
                />
              )
            )
          })}
        <ChartNotes graphs={graphs} series={series} chart={chart} />
      </div>
      <ChartControls choice={choice} search={search} onChange={change} group={group} />
    </section>
  )
}

/** The message without a chart. */
function NoChart({ asked, className }: { asked: boolean; className: string }) {
  const { t } = useT()
  return (
    <p className={cn('grid place-items-center text-md text-muted', className)}>
      {t(asked ? 'chart.none' : 'chart.empty')}
    </p>
  )
}

/** Returns the same array for the same codes; a new one would redraw the chart. */
function useSeries(chosen: readonly string[]): Series[] {
  const codes = chosen.join()
  return useMemo(() => seriesOf(codes.split(',')), [codes])
}

/** Returns the same object for equal extents, for the same reason. */
function useExtents(graphs: readonly Graph[], series: readonly Series[]): Extents {
  const extents = JSON.stringify(extentsOf(graphs, series))
  return useMemo(() => JSON.parse(extents), [extents])
}
