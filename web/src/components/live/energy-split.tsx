import { useId } from 'react'
import { cn } from '@/lib/cn'
import { energyQuantity, joinQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'

export type Part = {
  label: string
  /** In Wh. */
  energy: number
  colour: 'pv' | 'battery' | 'grid'
  /** Energy that leaves the house is hatched, so that colour is not the only difference. */
  hatched?: boolean
}

type Props = {
  /** False: last known sums, drawn without colour. */
  live: boolean
  title: string
  /** In Wh; null is unknown. */
  total: number | null
  parts: Part[] | null
}

const OLD = 'group-data-[live=false]:opacity-60 group-data-[live=false]:grayscale'
const DOT = { pv: 'bg-pv', battery: 'bg-battery', grid: 'bg-grid' } as const

/** An amount of energy and its parts, as a bar and as numbers. */
export function EnergySplit({ live, title, total, parts }: Props) {
  const { locale } = useT()
  // Parts below half a percent are left out: invisible, and rounded to zero.
  const shown = parts?.filter(({ energy }) => total !== null && energy > total * 0.005) ?? []
  return (
    <div className="group" data-live={live}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h3 className="text-sm text-muted">{title}</h3>
        <p className="num text-lg font-semibold">
          {total === null ? '–' : joinQuantity(energyQuantity(total, locale))}
        </p>
      </div>
      <Bar parts={shown} total={total ?? 0} />
      <ul className="mt-2 flex min-h-[1.45em] flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {shown.map(({ label, energy, colour }) => (
          <li key={label} className="flex items-center gap-1.5">
            <span aria-hidden className={cn('size-2 shrink-0 rounded-full', DOT[colour], OLD)} />
            {label}{' '}
            <span className="num font-medium text-text">{joinQuantity(energyQuantity(energy, locale))}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Bar({ parts, total }: { parts: Part[]; total: number }) {
  const hatching = useId()
  let begun = 0
  return (
    <svg aria-hidden className={cn('mt-2 block h-2.5 w-full overflow-hidden rounded-full bg-surface-2', OLD)}>
      <pattern id={hatching} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="6" height="6" fill="var(--grid)" fillOpacity="0.45" />
        <rect width="3" height="6" fill="var(--grid)" />
      </pattern>
      {parts.map(({ label, energy, colour, hatched }) => {
        const start = begun
        begun += (energy / total) * 100
        return (
          <g key={label}>
            <rect
              x={`${start}%`}
              width={`${(energy / total) * 100}%`}
              height="100%"
              fill={hatched ? `url(#${hatching})` : `var(--${colour})`}
            />
            {start > 0 && <rect x={`${start}%`} width="2" height="100%" fill="var(--surface)" />}
          </g>
        )
      })}
    </svg>
  )
}
