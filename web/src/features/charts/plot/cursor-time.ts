import type uPlot from 'uplot'
import { textScale } from '@/lib/text-scale'

/** The part of the label that stays on the plot, in pixels at normal text size. */
const LABEL_HALF_WIDTH = 34

/** A label above the cursor with its time. */
export function cursorTime(textOf: (place: number) => string): uPlot.Plugin {
  const half = LABEL_HALF_WIDTH * textScale()
  const label = document.createElement('div')
  label.className =
    'num pointer-events-none absolute -top-3 z-10 -translate-x-1/2 rounded-md bg-surface-2 px-1.5 py-0.5 text-2xs whitespace-nowrap text-text'
  return {
    hooks: {
      init: (plot) => plot.over.append(label),
      setCursor: ({ cursor: { idx, left = -1 }, over }) => {
        label.hidden = idx == null || left < 0
        if (idx == null) return
        label.textContent = textOf(idx)
        label.style.left = `${Math.min(Math.max(left, half), over.clientWidth - half)}px`
      },
    },
  }
}
