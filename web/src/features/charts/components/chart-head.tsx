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
  nameOf: (sn: string) => string
  ownPage: boolean
}

/** Which time the chart shows, and what one can take away of it. */
export function ChartHead({ chart, title, nameOf, ownPage }: Props) {
  const { t } = useT()
  const { choice, search, today, requests, change, group } = chart
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-3">
      <h2 id="chart" className="card-heading">
        {t('chart.title')}
      </h2>
      <DateSteps choice={choice} today={today} onChange={(date) => change(withDate(search, date))} />
      <Segmented
        label={t('chart.range')}
        value={choice.interval}
        options={INTERVALS.map((value) => ({ value, label: t(`chart.range.${value}`) }))}
        onChange={(range) => change(withInterval(search, range))}
        className="max-sm:order-last max-sm:w-full sm:ml-auto"
      />
      <div className="ml-auto flex gap-1.5 sm:ml-0">
        <ChartFiles requests={requests} nameOf={nameOf} title={title} group={group} table={choice.table} />
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
