import { ChevronLeft, ChevronRight, type LucideIcon, Maximize2, ZoomIn, ZoomOut } from 'lucide-react'
import { Button } from '@/components/ui/button'
import type { MessageId } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import type { PlotGroup } from '../plot/group'

type ZoomAction = {
  label: MessageId
  icon: LucideIcon
  act: (group: PlotGroup) => void
  whenZoomed?: boolean
}

const ZOOM_ACTIONS: readonly ZoomAction[] = [
  { label: 'chart.zoom_in', icon: ZoomIn, act: (group) => group.zoom(0.5) },
  { label: 'chart.zoom_out', icon: ZoomOut, act: (group) => group.zoom(2), whenZoomed: true },
  { label: 'chart.earlier', icon: ChevronLeft, act: (group) => group.pan(-0.5), whenZoomed: true },
  { label: 'chart.later', icon: ChevronRight, act: (group) => group.pan(0.5), whenZoomed: true },
  { label: 'chart.whole', icon: Maximize2, act: (group) => group.reset(), whenZoomed: true },
]

/** Zoom and pan for keyboards and touch screens. */
export function ZoomButtons({ group, zoomed }: { group: PlotGroup; zoomed: boolean }) {
  const { t } = useT()
  return (
    <div className="flex items-center">
      {ZOOM_ACTIONS.map(({ label, icon: Icon, act, whenZoomed }) => (
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
