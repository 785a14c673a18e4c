import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { openTexts, type TextPart } from '@/lib/i18n/i18n'
import { loadChunk } from '@/lib/load-chunk'

/** A page in its own chunk, loaded together with its texts. */
export function lazyPage<K extends string>(
  load: () => Promise<Record<K, ComponentType>>,
  name: K,
  texts: TextPart | readonly TextPart[] = 'door',
) {
  const loadBoth = async () => (await Promise.all([load(), ...[texts].flat().map(openTexts)]))[0]
  return lazyRouteComponent<Record<K, ComponentType>, K>(() => loadChunk(loadBoth), name)
}
