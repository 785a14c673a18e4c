import { ArrowDown, ArrowUp } from 'lucide-react'
import { cn } from '@/lib/cn'
import { joinQuantity, powerQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { directionOf } from '@/lib/power'

type Props = {
  /** Null: not known, which is a dash and never a zero. */
  watts: number | null
  /** What has a direction has a word and an arrow for it. */
  of: 'pv' | 'house' | 'battery' | 'grid'
  className?: string
}

/** A power as magnitude; where it goes is a word and an arrow, never a sign. */
export function PowerText({ watts, of, className }: Props) {
  const { t, locale } = useT()
  if (watts === null)
    return (
      <span className={cn('text-muted', className)}>
        <span aria-hidden>–</span>
        <span className="sr-only">{t('value.unknown')}</span>
      </span>
    )
  const power = joinQuantity(powerQuantity(watts, locale))
  if (of === 'pv' || of === 'house')
    return <span className={cn('whitespace-nowrap', className)}>{power}</span>
  const direction = directionOf(watts) ?? 'idle'
  // Into the battery or the house is down, out of them up.
  const Arrow = direction === 'idle' ? null : isOutward(of, direction) ? ArrowUp : ArrowDown
  return (
    <span className={cn('inline-flex min-w-0 items-center gap-1 whitespace-nowrap', className)}>
      <span className="min-w-0 truncate text-[12px] text-muted">{t(`flow.${of}.${direction}`)}</span>
      {Arrow && <Arrow aria-hidden className="size-3.5 shrink-0 text-muted" />}
      {direction !== 'idle' && <span>{power}</span>}
    </span>
  )
}

/** A battery that discharges gives, a house that feeds in gives. */
const isOutward = (of: 'battery' | 'grid', direction: 'positive' | 'negative') =>
  of === 'battery' ? direction === 'positive' : direction === 'negative'
