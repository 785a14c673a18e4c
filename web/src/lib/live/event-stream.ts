/** Follows the server's event stream for as long as somebody looks, over broken lines and new starts of the server. */
import { api } from '../api/client'
import { apiError } from '../api/errors'
import { LIVE_SILENCE, RECONNECT_FIRST, RECONNECT_MAX } from '../constants'
import { accountOf, isAuthenticated, readTokens } from '../session/tokens'
import { makeEventReader, type StreamEvent } from './sse-parser'

const LOCK = 'suncellar:stream'

/** Waits longer after each failure, and never exactly as long as everybody else. */
export const backOff = (failures: number, random = Math.random()) =>
  Math.min(RECONNECT_MAX, RECONNECT_FIRST * 2 ** failures) * (0.5 + random / 2)

type Follow = {
  signal: AbortSignal
  /** The systems on screen, separated by commas: of a fleet, only their batteries are asked to report every 2 s. */
  sn?: string
  /** Up to when everything is known, in milliseconds of the server's clock; without it the stream begins with all systems. */
  since?: number
  onEvent: (event: StreamEvent) => void
  /** A connection stands. It begins with the live data that changed since; what else did has to be asked for. */
  onOpen?: () => void
}

/**
 * Ends only with the signal, or with the session. A browser opens six connections to a server at most, over all its
 * tabs, so only one of them holds the stream; the others make do with the refresh until it is their turn.
 */
export async function follow(options: Follow) {
  if (!navigator.locks) return keepListening(options)
  const { signal } = options
  await navigator.locks.request(LOCK, { signal }, () => keepListening(options)).catch(() => undefined)
}

async function keepListening({ signal, sn, since, onEvent, onOpen }: Follow) {
  let lastId = since === undefined ? null : String(since)
  let failures = 0
  const account = accountOf(readTokens().access)
  const sameSession = () => isAuthenticated() && accountOf(readTokens().access) === account
  const hear = (event: StreamEvent) => {
    // What arrives between a logout and the end of the page would be the next person's first news.
    if (!sameSession()) return
    lastId = event.id ?? lastId
    failures = 0
    onEvent(event)
  }
  while (!signal.aborted && sameSession()) {
    // However a connection ends, the next one begins with what has changed: nothing is missed.
    await listen(lastId, { signal, sn, onEvent: hear, onOpen }).catch(() => undefined)
    await pause(backOff(failures++), signal)
  }
}

/** One connection, up to its end. */
async function listen(lastId: string | null, { signal, sn, onEvent, onOpen }: Follow) {
  const ending = new AbortController()
  const end = () => ending.abort()
  signal.addEventListener('abort', end)
  let timer = setTimeout(end, LIVE_SILENCE)
  try {
    const { response } = await api.GET('/api/auth/stream/', {
      params: {
        query: sn === undefined ? { flags: 'set' } : { sn, flags: 'set' },
        header: lastId === null ? {} : { 'Last-Event-ID': lastId },
      },
      parseAs: 'stream',
      signal: ending.signal,
    })
    if (!response.ok || !response.body) throw apiError(response, null)
    onOpen?.()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    ending.signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined))
    const read = makeEventReader()
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      // A line that has gone dead says nothing, not even that it lives.
      clearTimeout(timer)
      timer = setTimeout(end, LIVE_SILENCE)
      for (const event of read(piece.value)) onEvent(event)
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

/** Ends early with the signal, and when the browser says that it is online again. */
function pause(duration: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const over = new AbortController()
    const end = () => {
      clearTimeout(timer)
      over.abort()
      resolve()
    }
    const timer = setTimeout(end, duration)
    signal.addEventListener('abort', end, { signal: over.signal })
    addEventListener('online', end, { signal: over.signal })
  })
}
