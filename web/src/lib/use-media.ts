import { useCallback, useSyncExternalStore } from 'react'

/** Whether the screen is like this now, for what is drawn in quite different ways on a phone and on a desk. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const media = matchMedia(query)
      media.addEventListener('change', changed)
      return () => media.removeEventListener('change', changed)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}
