import { type ComponentType, lazy, Suspense, useState } from 'react'
import { loadChunk } from '@/lib/load-chunk'
import { useNotifications } from '@/lib/notify'

const Toaster = lazy<ComponentType>(() =>
  loadChunk(() => import('@/components/ui/toaster')).then(
    ({ Toaster }) => ({ default: Toaster }),
    // Without it a message stays unsaid, which must not take the page with it.
    () => ({ default: () => null }),
  ),
)

/** The toaster, from the first notification on: most visits never load it. */
export function Notifications() {
  const waiting = useNotifications((state) => state.waiting.length > 0)
  const [wanted, setWanted] = useState(false)
  if (waiting && !wanted) setWanted(true)
  return <Suspense>{wanted && <Toaster />}</Suspense>
}
