import { CHUNK_LOAD_TIMEOUT } from './constants'

/** A script of the app did not come: the network failed, it took too long, or a new version replaced it. */
export class ChunkLoadError extends Error {
  override readonly name = 'ChunkLoadError'
}

/** Waits for a chunk, but not for ever. */
export function loadChunk<T>(load: () => Promise<T>, timeout = CHUNK_LOAD_TIMEOUT): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ChunkLoadError('Loading chunk failed: timeout')), timeout)
  })
  const loaded = load().catch((cause: unknown) => {
    throw new ChunkLoadError('Loading chunk failed', { cause })
  })
  return Promise.race([loaded, tooLate]).finally(() => clearTimeout(timer))
}
