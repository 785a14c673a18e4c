import { ChevronDown, ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { formatPeriod } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { firstDay, nextMonth, previousMonth } from '../model/month'
import type { Month } from '../model/search'

type Props = {
  month: Month
  /** The available months, newest first. */
  months: readonly Month[]
  onChange: (month: Month) => void
}

/** Previous month, selection, next month. */
export function MonthSteps({ month, months, onChange }: Props) {
  const { t, locale } = useT()
  return (
    <div className="flex min-w-0 items-center gap-0.5">
      <Button
        variant="ghost"
        size="icon"
        aria-label={t('calendar.back')}
        keepsFocus
        disabled={month === months.at(-1)}
        onClick={() => onChange(previousMonth(month))}
      >
        <ChevronLeft aria-hidden className="size-4.5" />
      </Button>
      <div className="relative min-w-0">
        <select
          aria-label={t('calendar.month')}
          value={month}
          onChange={({ target }) => onChange(target.value)}
          className="min-h-11 w-full min-w-0 appearance-none rounded-xl bg-bg pr-8 pl-3 text-lg font-medium text-text hover:bg-surface-2"
        >
          {months.map((one) => (
            <option key={one} value={one} className="bg-surface text-text">
              {formatPeriod(firstDay(one), 'Month', locale)}
            </option>
          ))}
        </select>
        <ChevronDown
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted"
        />
      </div>
      <Button
        variant="ghost"
        size="icon"
        aria-label={t('calendar.forth')}
        keepsFocus
        disabled={month === months[0]}
        onClick={() => onChange(nextMonth(month))}
      >
        <ChevronRight aria-hidden className="size-4.5" />
      </Button>
    </div>
  )
}
