import { useSyncExternalStore } from 'react'

function onScroll(changed: () => void) {
  addEventListener('scroll', changed, { passive: true })
  return () => removeEventListener('scroll', changed)
}

/** Whether the page is scrolled by more than this many pixels. */
export const useScrolledPast = (pixels: number) => useSyncExternalStore(onScroll, () => scrollY > pixels)
