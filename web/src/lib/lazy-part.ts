import { type ComponentType, lazy } from 'react'
import { loadChunk } from './load-chunk'

/** A part of a page in its own chunk, loaded when it is first rendered. */
export const lazyPart = <P>(load: () => Promise<ComponentType<P>>) =>
  lazy(async () => ({ default: await loadChunk(load) }))
