import { BatteryCharging, Gauge, Hourglass, type LucideIcon } from 'lucide-react'
import { cn } from '@/lib/cn'
import type { Block } from '@/lib/data/plan'

const STYLES: Record<Block['mode'], { icon: LucideIcon; look: string }> = {
  charge: { icon: BatteryCharging, look: 'bg-grid/15 text-grid-text' },
  hold: { icon: Hourglass, look: 'bg-pv/15 text-pv-text' },
  self: { icon: Gauge, look: 'bg-surface-2 text-muted' },
}

/** The mode's icon, in the colour of its block in the picture. */
export function ModeMark({ mode }: { mode: Block['mode'] }) {
  const { icon: Icon, look } = STYLES[mode]
  return (
    <span className={cn('grid size-9 shrink-0 place-items-center rounded-lg', look)}>
      <Icon aria-hidden className="size-4.5" />
    </span>
  )
}
