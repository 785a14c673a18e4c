import { Link } from '@tanstack/react-router'
import { Maximize2 } from 'lucide-react'
import { buttonStyle } from '@/components/ui/button'
import { Segmented } from '@/components/ui/segmented'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { INTERVALS, withDate, withInterval } from '../model/choice'
import type { useChart } from '../use-chart'
import { ChartFiles } from './chart-files'
import { DateSteps } from './date-steps'

type Props = {
  chart: ReturnType<typeof useChart>
  title: string
  /** The description of the series' values, and its id for `aria-describedby`. */
  values: { id: string; text: string }
  nameOf: (sn: string) => string
  ownPage: boolean
}

/** The chart's period and its exports. */
export function ChartHead({ chart, title, values, nameOf, ownPage }: Props) {
  const { t } = useT()
  const { choice, search, today, requests, change, group } = chart
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-3">
      {/* A minimum width, so that the date stays in place while the cursor moves. */}
      <div className="sm:min-w-36">
        <h2 id="chart" className="card-heading leading-5">
          {t('chart.title')}
        </h2>
        <p id={values.id} className="num min-h-4 text-xs leading-4 whitespace-nowrap text-muted">
          {values.text}
        </p>
      </div>
      <DateSteps
        choice={choice}
        today={today}
        onChange={(date) => change(withDate(search, date))}
        className="max-sm:order-last max-sm:w-full"
      />
      <Segmented
        label={t('chart.range')}
        value={choice.interval}
        options={INTERVALS.map((value) => ({ value, label: t(`chart.range.${value}`) }))}
        onChange={(range) => change(withInterval(search, range))}
        className="max-sm:order-last max-sm:w-full sm:ml-auto"
      />
      <div className="ml-auto flex gap-1.5 sm:ml-0">
        <ChartFiles
          requests={requests}
          nameOf={nameOf}
          title={title}
          group={group}
          table={choice.table}
          // Phones have the exports on the charts page only.
          className={ownPage ? undefined : 'max-sm:hidden'}
        />
        {!ownPage && (
          <Link
            to="/charts"
            search={search}
            aria-label={t('chart.own_page')}
            title={t('chart.own_page')}
            className={cn(buttonStyle({ variant: 'outline', size: 's' }), 'px-2.5')}
          >
            <Maximize2 aria-hidden className="size-4" />
          </Link>
        )}
      </div>
    </div>
  )
}
