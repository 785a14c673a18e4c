import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { loadChunk } from '@/lib/load-chunk'

/** A page in its own chunk. */
export function lazyPage<K extends string>(load: () => Promise<Record<K, ComponentType>>, name: K) {
  return lazyRouteComponent<Record<K, ComponentType>, K>(() => loadChunk(load), name)
}
