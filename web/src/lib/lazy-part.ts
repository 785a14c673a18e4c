import { type ComponentType, lazy } from 'react'
import { loadChunk } from './load-chunk'

/** A part of a page in a chunk of its own, which comes when it is drawn for the first time. */
export const lazyPart = <P>(load: () => Promise<ComponentType<P>>) =>
  lazy(async () => ({ default: await loadChunk(load) }))
