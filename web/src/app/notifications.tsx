import { type ComponentType, lazy, Suspense, useState } from 'react'
import { loadChunk } from '@/lib/load-chunk'
import { useNotifications } from '@/lib/notify'

const Toaster = lazy<ComponentType>(() =>
  loadChunk(() => import('@/components/ui/toaster')).then(
    ({ Toaster }) => ({ default: Toaster }),
    // If it fails to load, messages are lost but the page keeps working.
    () => ({ default: () => null }),
  ),
)

/** Loads the toaster with the first notification; most visits need none. */
export function Notifications() {
  const waiting = useNotifications((state) => state.waiting.length > 0)
  const [wanted, setWanted] = useState(false)
  if (waiting && !wanted) setWanted(true)
  return <Suspense>{wanted && <Toaster />}</Suspense>
}
