import { useState } from 'react'
import { pageCount, pageOf } from '@/components/ui/pages'
import { Pagination } from '@/components/ui/pagination'
import type { Graph } from '@/lib/data/charts'
import { useT } from '@/lib/i18n/use-t'
import type { Earlier } from '../model/before'
import { pointTime } from '../model/point-time'
import { columnsOf, roundForChart, type Series } from '../model/series'
import { cellText, TABLE_UNIT } from './value-text'

const ROWS = 48

type Props = { graph: Graph; series: readonly Series[]; earlier: Earlier | undefined; title: string }

/** The chart's data as a table, without steps that have no values. */
export function ChartTable({ graph, series, earlier, title }: Props) {
  const { t, locale } = useT()
  const [chosen, setChosen] = useState(1)
  const measured = graph.time
    .map((at, place) => ({ at, place }))
    .filter(({ place }) => series.some(({ code }) => graph.series[code]?.[place] != null))
  const { current, items } = pageOf(measured, chosen, ROWS)
  const columns = series.flatMap((one) => [
    ...columnsOf(one).map((column) => ({ ...column, values: graph.series[one.code], name: t(column.label) })),
    ...(earlier && one.code in earlier.values ? columnsOf(one) : []).map((column) => ({
      ...column,
      key: `${column.key} before`,
      values: earlier?.values[one.code],
      name: `${t(column.label)}, ${t(`chart.before.${earlier?.before ?? 'day'}`)}`,
    })),
  ])
  if (measured.length === 0) return <p className="py-10 text-center text-md text-muted">{t('chart.empty')}</p>
  return (
    <div>
      <section
        aria-label={title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
        tabIndex={0}
        className="max-h-105 overflow-auto rounded-xl border border-line"
      >
        <table className="num w-full text-right text-sm">
          <caption className="sr-only">{title}</caption>
          <thead>
            <tr className="text-muted">
              <th scope="col" className="sticky top-0 bg-surface-2 px-3 py-2 text-left font-medium">
                {t('chart.time')}
              </th>
              {columns.map(({ key, name, unit }) => (
                <th key={key} scope="col" className="sticky top-0 bg-surface-2 px-3 py-2 font-medium">
                  {name} ({TABLE_UNIT[unit].unit})
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map(({ at, place }) => (
              <tr key={at} className="border-t border-line">
                <th scope="row" className="px-3 py-1.5 text-left font-normal whitespace-nowrap">
                  {pointTime(graph, at, locale)}
                </th>
                {columns.map(({ key, unit, values, value }) => (
                  <td key={key} className="px-3 py-1.5 whitespace-nowrap">
                    {cellText(value(roundForChart(values?.[place], unit)), unit, locale)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Pagination
        label={title}
        page={current}
        count={pageCount(measured.length, ROWS)}
        onChange={setChosen}
      />
    </div>
  )
}
