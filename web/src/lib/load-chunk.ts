import { CHUNK_LOAD_TIMEOUT } from './constants'

/** A script of the app did not load: the network failed, it timed out, or a new version replaced it. */
export class ChunkLoadError extends Error {
  override readonly name = 'ChunkLoadError'
}

/**
 * The messages of Chromium, Firefox, WebKit and Vite for a script or stylesheet that could not be fetched.
 */
const NOT_FETCHED =
  /failed to fetch|dynamically imported module|importing a module script failed|unable to preload/i

/** Loads a chunk with a timeout. An error that the chunk throws on execution is passed on unchanged. */
export function loadChunk<T>(load: () => Promise<T>, timeout = CHUNK_LOAD_TIMEOUT): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ChunkLoadError('Loading chunk failed: timeout')), timeout)
  })
  const loaded = load().catch((cause: unknown) => {
    // biome-ignore lint/suspicious/noConsole: whoever looks for the cause finds it there; the page says only what to do
    console.error('chunk_failed', cause)
    throw isNotFetched(cause) ? new ChunkLoadError('Loading chunk failed', { cause }) : cause
  })
  return Promise.race([loaded, tooLate]).finally(() => clearTimeout(timer))
}

const isNotFetched = (cause: unknown) => cause instanceof Error && NOT_FETCHED.test(cause.message)

/** The texts for a failure; only chunks that did not load are blamed on the network. */
export const failureTexts = (error: unknown) =>
  error instanceof ChunkLoadError
    ? ({ title: 'failure.chunk', text: 'failure.chunk_text' } as const)
    : ({ title: 'failure.title', text: 'failure.text' } as const)
