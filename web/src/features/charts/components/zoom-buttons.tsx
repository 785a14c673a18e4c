import { ChevronLeft, ChevronRight, type LucideIcon, Maximize2, ZoomIn, ZoomOut } from 'lucide-react'
import { Button } from '@/components/ui/button'
import type { MessageId } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import type { PlotGroup } from '../plot/group'

type Act = { label: MessageId; icon: LucideIcon; act: (group: PlotGroup) => void; whenZoomed?: boolean }

const ACTS: readonly Act[] = [
  { label: 'chart.zoom_in', icon: ZoomIn, act: (group) => group.zoom(0.5) },
  { label: 'chart.zoom_out', icon: ZoomOut, act: (group) => group.zoom(2), whenZoomed: true },
  { label: 'chart.earlier', icon: ChevronLeft, act: (group) => group.pan(-0.5), whenZoomed: true },
  { label: 'chart.later', icon: ChevronRight, act: (group) => group.pan(0.5), whenZoomed: true },
  { label: 'chart.whole', icon: Maximize2, act: (group) => group.reset(), whenZoomed: true },
]

/** What a mouse does by dragging, for keyboards and fingers. */
export function ZoomButtons({ group, zoomed }: { group: PlotGroup; zoomed: boolean }) {
  const { t } = useT()
  return (
    <div className="flex items-center">
      {ACTS.map(({ label, icon: Icon, act, whenZoomed }) => (
        <Button
          key={label}
          variant="ghost"
          size="s"
          aria-label={t(label)}
          title={t(label)}
          keepsFocus
          disabled={whenZoomed && !zoomed}
          onClick={() => act(group)}
        >
          <Icon aria-hidden className="size-4" />
        </Button>
      ))}
    </div>
  )
}
