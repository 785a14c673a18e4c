import { cn } from '@/lib/cn'
import { formatNumber } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { FILTERS, type Filter, RARE_FILTERS } from '../model/view'

const MARK: Record<Filter, string> = {
  all: 'text-text',
  alarm: 'text-danger',
  attention: 'text-danger',
  offline: 'text-text',
  off: 'text-text',
  switch: 'text-warn',
  updating: 'text-grid-text',
  paused: 'text-warn',
  limited: 'text-warn',
  commissioning: 'text-warn',
  update: 'text-grid-text',
  well: 'text-ok',
}

type Props = { counts: Record<Filter, number>; filter: Filter; onChange: (filter: Filter) => void }

/** The count of each status; a click filters by it. */
export function StatusChips({ counts, filter, onChange }: Props) {
  const { t, locale } = useT()
  return (
    <fieldset className="-mx-4 overflow-x-auto px-4 py-1 lg:mx-0 lg:px-0">
      <legend className="sr-only">{t('fleet.filter')}</legend>
      <div className="flex gap-2">
        {FILTERS.filter((one) => one === filter || counts[one] > 0 || !RARE_FILTERS.includes(one)).map(
          (one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === filter}
              onClick={() => onChange(one)}
              className={cn(
                'flex min-h-9 shrink-0 items-center gap-2 rounded-full border border-line px-3.5 text-sm font-medium text-muted transition-colors hover:border-line-strong hover:text-text',
                'aria-pressed:border-line-strong aria-pressed:bg-surface-2 aria-pressed:text-text',
              )}
            >
              {t(`fleet.filter.${one}`)}
              <span className={cn('num font-semibold', counts[one] === 0 ? 'text-muted' : MARK[one])}>
                {formatNumber(counts[one], locale)}
              </span>
            </button>
          ),
        )}
      </div>
    </fieldset>
  )
}
