import { type PointerEvent, useEffect, useRef, useState } from 'react'

/**
 * Where on a drawing the mouse or a finger is, as a share of its width; null is nowhere. A finger's place stays until the next
 * touch beside it, so that one can read what it covered. Up and down still scroll the page.
 */
export function usePointed<E extends HTMLElement>() {
  const [share, setShare] = useState<number | null>(null)
  const ref = useRef<E>(null)
  useEffect(() => {
    if (share === null) return
    const clearOutside = ({ target }: Event) => {
      if (!ref.current?.contains(target as Node)) setShare(null)
    }
    document.addEventListener('pointerdown', clearOutside)
    return () => document.removeEventListener('pointerdown', clearOutside)
  }, [share])
  const read = ({ clientX, currentTarget }: PointerEvent<E>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    if (width > 0) setShare(Math.min(Math.max((clientX - left) / width, 0), 1))
  }
  const clear = () => setShare(null)
  return {
    share,
    clear,
    /** For the element, beside the class `touch-pan-y`. */
    pointing: {
      ref,
      onPointerDown: read,
      onPointerMove: read,
      onPointerLeave: ({ pointerType }: PointerEvent<E>) => pointerType === 'mouse' && clear(),
      // The finger scrolls the page.
      onPointerCancel: clear,
    },
  }
}

/** Which of so many places side by side that is. */
export const placeAt = (share: number | null, count: number): number | null =>
  share === null || count === 0 ? null : Math.min(Math.floor(share * count), count - 1)
