import { type PointerEvent, useEffect, useRef, useState } from 'react'

/**
 * The position of mouse or finger on a drawing as a share of its width; null is none. A finger's position
 * stays until the next touch outside, so that the covered value can be read. Vertical gestures still scroll.
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
    /** Props for the element, with the class `touch-pan-y`. */
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

/** The index among `count` places side by side. */
export const placeAt = (share: number | null, count: number): number | null =>
  share === null || count === 0 ? null : Math.min(Math.floor(share * count), count - 1)
