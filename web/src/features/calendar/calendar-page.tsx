import { Link } from '@tanstack/react-router'
import { ChartSpline, Printer } from 'lucide-react'
import { Button, buttonStyle } from '@/components/ui/button'
import { NotLoaded } from '@/components/ui/not-loaded'
import { PageHeading } from '@/components/ui/page-heading'
import { PagePart } from '@/components/ui/page-part'
import { cn } from '@/lib/cn'
import { formatPeriod } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { DayList } from './components/day-list'
import { Legend } from './components/legend'
import { MonthGrid } from './components/month-grid'
import { MonthReport } from './components/month-report'
import { MonthSteps } from './components/month-steps'
import { MonthSums } from './components/month-sums'
import { isMeasured } from './model/day'
import { firstDay } from './model/month'
import { type CalendarMonth, useMonth } from './use-month'

/** A month of days, shaded by self-sufficiency. Printed, it is the month's report. */
export function CalendarPage() {
  const { t, locale } = useT()
  const calendar = useMonth()
  const { sn, month, months, days, waiting, goTo } = calendar
  const name = formatPeriod(firstDay(month), 'Month', locale)
  const empty = !waiting && calendar.energy !== undefined && !days.some(isMeasured)
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-4 print:hidden">
        <PageHeading>{t('calendar.title')}</PageHeading>
        <Link to="/charts" className={cn(buttonStyle({ variant: 'outline', size: 's' }), 'mb-4')}>
          <ChartSpline aria-hidden className="size-4" />
          {t('charts.title')}
        </Link>
      </div>
      <div className="grid gap-4 lg:gap-5 print:hidden">
        <Problem calendar={calendar} />
        <section aria-label={name} aria-busy={waiting} className="card min-w-0 p-2 sm:p-4">
          <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
            <MonthSteps month={month} months={months} onChange={goTo} />
            <Button
              variant="outline"
              size="s"
              aria-label={t('print.button')}
              disabled={waiting || empty}
              onClick={() => window.print()}
            >
              <Printer aria-hidden className="size-4" />
              <span className="max-sm:hidden">{t('print.button')}</span>
            </Button>
          </div>
          {sn !== null && (
            <PagePart>
              <MonthGrid calendar={calendar} name={name} />
            </PagePart>
          )}
          {empty && <p className="px-2 pt-4 pb-2 text-center text-md text-muted">{t('calendar.empty')}</p>}
        </section>
        <Legend windows={calendar.windows} />
        {sn !== null && !empty && (
          <PagePart>
            <DayList calendar={calendar} />
          </PagePart>
        )}
        {!empty && (
          <PagePart>
            <MonthSums calendar={calendar} name={name} />
          </PagePart>
        )}
      </div>
      {!waiting && !empty && <MonthReport calendar={calendar} name={name} />}
    </>
  )
}

function Problem({ calendar: { error, retry, retrying } }: { calendar: CalendarMonth }) {
  const { t } = useT()
  if (!error) return null
  return <NotLoaded title={t('calendar.failed')} error={error} busy={retrying} onRetry={retry} />
}
