import { cn } from '@/lib/cn'
import { VALUE_COLOUR } from '@/lib/value-colours'
import type { Series } from '../model/series'

/**
 * The legend mark of a series: a line, a dashed line for a forecast, a block for energies, hatched below
 * zero.
 */
export function SeriesMark({
  series: { colour, unit, forecast, below },
  dim = false,
}: {
  series: Series
  dim?: boolean
}) {
  return (
    <svg
      aria-hidden
      width="16"
      height="10"
      className={cn('shrink-0', VALUE_COLOUR[colour], dim && 'opacity-60')}
    >
      {unit === 'energy' ? (
        <>
          <rect x="3" width="10" height="10" rx="2" fill="currentColor" fillOpacity={below ? 0.35 : 1} />
          {below && <path d="M3 8l7-8M6 10l7-8" stroke="currentColor" strokeWidth="1.5" />}
        </>
      ) : (
        <path
          d="M0 5H16"
          stroke="currentColor"
          strokeWidth={unit === 'power' ? 2.5 : 1.4}
          strokeDasharray={forecast ? '4 3' : undefined}
        />
      )}
    </svg>
  )
}
