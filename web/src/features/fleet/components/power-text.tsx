import { joinQuantity, powerQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { directionOf } from '@/lib/power'

type Props = {
  /** Null: unknown, shown as a dash. */
  watts: number | null
  /** Values with a direction have a word and an arrow for it. */
  of: 'pv' | 'house' | 'battery' | 'grid'
}

/** A power as magnitude; its direction is a word and an arrow. */
export function PowerText({ watts, of }: Props) {
  const { t, locale } = useT()
  if (watts === null)
    return (
      <span className="text-muted">
        <span aria-hidden>–</span>
        <span className="sr-only">{t('value.unknown')}</span>
      </span>
    )
  const power = joinQuantity(powerQuantity(watts, locale))
  if (of === 'pv' || of === 'house') return power
  const direction = directionOf(watts) ?? 'idle'
  const word = t(`flow.${of}.${direction}`)
  if (direction === 'idle') return <span className="text-xs text-muted">{word}</span>
  return (
    <span className="inline-flex max-w-full gap-1 whitespace-nowrap">
      <span className="cut min-w-0 text-xs leading-5 text-muted">{word}</span>
      {/* Down is into the battery or the house, up is out. A character is one element, an icon three. */}
      <span aria-hidden className="text-muted">
        {isOutward(of, direction) ? '↑' : '↓'}
      </span>
      {power}
    </span>
  )
}

/** A battery discharges, or a house feeds in. */
const isOutward = (of: 'battery' | 'grid', direction: 'positive' | 'negative') =>
  of === 'battery' ? direction === 'positive' : direction === 'negative'
