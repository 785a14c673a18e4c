import { CHUNK_LOAD_TIMEOUT } from './constants'

/** A script of the app did not come: the network failed, it took too long, or a new version replaced it. */
export class ChunkLoadError extends Error {
  override readonly name = 'ChunkLoadError'
}

/** What Chromium, Firefox, WebKit and Vite say of a script or style sheet that they could not fetch. */
const NOT_FETCHED =
  /failed to fetch|dynamically imported module|importing a module script failed|unable to preload/i

/** Waits for a chunk, but not for ever. What a chunk throws while it starts is its own error, not the network's. */
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

/** What to say of something that broke: only what did not come is the network's fault. */
export const failureTexts = (error: unknown) =>
  error instanceof ChunkLoadError
    ? ({ title: 'failure.chunk', text: 'failure.chunk_text' } as const)
    : ({ title: 'failure.title', text: 'failure.text' } as const)
