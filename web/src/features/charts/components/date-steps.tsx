import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { formatPeriod } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { isSiteDay, type SiteDay } from '@/lib/site-day'
import { type ChartChoice, lastDay, stepDate } from '../model/choice'

type Props = { choice: ChartChoice; today: SiteDay; onChange: (date: SiteDay) => void; className?: string }

/**
 * Previous, current and next period. The text opens the browser's date picker. With the keyboard the native
 * date field itself is used, which shows its focused part.
 */
export function DateSteps({ choice, today, onChange, className }: Props) {
  const { t, locale } = useT()
  const [byKey, setByKey] = useState(false)
  const back = stepDate(choice, -1, today)
  const forth = stepDate(choice, 1, today)
  return (
    <div className={cn('flex items-center justify-between', className)}>
      <Button
        variant="ghost"
        size="icon"
        aria-label={t('chart.back')}
        keepsFocus
        disabled={!back}
        onClick={() => back && onChange(back)}
      >
        <ChevronLeft aria-hidden className="size-4.5" />
      </Button>
      <label className="relative rounded-lg px-1 focus-within:outline-2 focus-within:outline-focus">
        <span className="sr-only">{t('chart.date')}</span>
        <span aria-hidden className="num block min-w-28 py-2 text-center text-md">
          {formatPeriod(choice.date, choice.interval, locale)}
        </span>
        <input
          type="date"
          value={choice.date}
          max={lastDay(today)}
          onChange={({ target }) =>
            isSiteDay(target.value) && target.value <= lastDay(today) && onChange(target.value)
          }
          onKeyUp={() => setByKey(true)}
          onPointerDown={() => setByKey(false)}
          onBlur={() => setByKey(false)}
          className={cn(
            'absolute inset-0 size-full cursor-pointer rounded-lg bg-surface text-center text-md',
            !byKey && 'opacity-0',
            '[&::-webkit-calendar-picker-indicator]:absolute [&::-webkit-calendar-picker-indicator]:inset-0 [&::-webkit-calendar-picker-indicator]:size-full [&::-webkit-calendar-picker-indicator]:cursor-pointer [&::-webkit-calendar-picker-indicator]:opacity-0',
          )}
        />
      </label>
      <Button
        variant="ghost"
        size="icon"
        aria-label={t('chart.forth')}
        keepsFocus
        disabled={!forth}
        onClick={() => forth && onChange(forth)}
      >
        <ChevronRight aria-hidden className="size-4.5" />
      </Button>
    </div>
  )
}
