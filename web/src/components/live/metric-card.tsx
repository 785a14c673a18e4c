import type { LucideIcon } from 'lucide-react'
import { cn } from '@/lib/cn'
import type { Quantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { VALUE_COLOUR, type ValueColour } from '@/lib/value-colours'
import { BOX, sparkPaths } from './model/spark'

type Props = {
  icon: LucideIcon
  label: string
  /** Null: unknown, shown as a dash. */
  value: Quantity | null
  /** A word about the value, such as its direction. */
  note: string | null
  colour: ValueColour
  /** Today so far. */
  curve: readonly (number | null)[]
  floor?: number
  live: boolean
}

/** One current value, with today's curve. */
export function MetricCard({ icon: Icon, label, value, note, colour, curve, floor, live }: Props) {
  const { t } = useT()
  return (
    <article className="card flex min-w-0 flex-col p-3 sm:p-4">
      <h3 className="flex items-start gap-2 text-sm leading-snug font-medium text-muted">
        <Icon
          aria-hidden
          className={cn('mt-px size-4 shrink-0', live ? VALUE_COLOUR[colour] : 'text-muted')}
        />
        <span className="min-w-0 hyphens-auto wrap-anywhere">{label}</span>
      </h3>
      <p
        className={cn(
          'num mt-1.5 text-4xl leading-none font-semibold tracking-tight sm:text-6xl',
          !live && 'text-muted',
        )}
      >
        {value ? (
          <>
            {value.value}
            <span className="ml-1 text-md font-medium text-muted">{value.unit}</span>
          </>
        ) : (
          <>
            <span aria-hidden>–</span>
            <span className="sr-only">{t('value.unknown')}</span>
          </>
        )}
      </p>
      <p className="num mt-1.5 min-h-[1.45em] text-xs text-muted">{note}</p>
      <Sparkline values={curve} floor={floor} className={live ? VALUE_COLOUR[colour] : 'text-muted'} />
    </article>
  )
}

type SparkProps = { values: readonly (number | null)[]; floor?: number; className: string }

/** Decorative: the big chart has the same values and a table. */
function Sparkline({ values, floor, className }: SparkProps) {
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${BOX.width} ${BOX.height}`}
      preserveAspectRatio="none"
      // Hidden on phones.
      className={cn('mt-auto block h-10 w-full overflow-visible pt-2 max-sm:hidden', className)}
    >
      {sparkPaths(values, floor).map((path) => (
        <g key={path}>
          <path
            d={`${path}V${BOX.height}H${path.slice(1, path.indexOf(' '))}Z`}
            fill="currentColor"
            opacity="0.1"
          />
          <path
            d={path}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.6"
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </g>
      ))}
    </svg>
  )
}
