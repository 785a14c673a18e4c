/** Follows the server's event stream across lost connections and restarts of the server. */
import { api } from '../api/client'
import { apiError } from '../api/errors'
import { LIVE_SILENCE, RECONNECT_FIRST, RECONNECT_MAX } from '../constants'
import type { Locale } from '../i18n/locales'
import { accountOf, isAuthenticated, readTokens } from '../session/tokens'
import { makeEventReader, type StreamEvent } from './sse-parser'

const LOCK = 'suncellar:stream'

/** Exponential back-off with jitter. */
export const backOff = (failures: number, random = Math.random()) =>
  Math.min(RECONNECT_MAX, RECONNECT_FIRST * 2 ** failures) * (0.5 + random / 2)

type Follow = {
  signal: AbortSignal
  /**
   * The systems on screen, separated by commas: of a fleet, only these batteries are asked to report every 2
   * s.
   */
  sn?: string
  /** The language of the events. */
  locale: Locale
  /** The server time of the last full answer, in ms; without it the stream begins with all systems. */
  since?: number
  onEvent: (event: StreamEvent) => void
  /**
   * Called when a connection is open. It begins with the changes of live data since then; other data has to
   * be refetched.
   */
  onOpen?: () => void
}

/**
 * Resolves with the signal, or with the end of the session. Browsers allow six connections per server over
 * all tabs, so only one tab holds the stream, and passes it on to those of the same account and language.
 */
export async function follow(options: Follow) {
  if (!navigator.locks) return keepListening(options)
  const { signal, locale, onEvent, onOpen } = options
  const isSame = sameSession()
  const tabs = new BroadcastChannel(`${LOCK}:${accountOf(readTokens().access)}:${locale}`)
  tabs.onmessage = ({ data: notice }: MessageEvent<StreamEvent | 'opened'>) => {
    if (signal.aborted || !isSame()) return
    if (notice === 'opened') onOpen?.()
    else onEvent(notice)
  }
  const listenForAll = () =>
    keepListening({
      ...options,
      onEvent: (event) => {
        onEvent(event)
        tabs.postMessage(event)
      },
      onOpen: () => {
        onOpen?.()
        tabs.postMessage('opened')
      },
    })
  await navigator.locks.request(LOCK, { signal }, listenForAll).catch(() => undefined)
  tabs.close()
}

/** Whether the session is still that of this moment. */
function sameSession(): () => boolean {
  const account = accountOf(readTokens().access)
  return () => isAuthenticated() && accountOf(readTokens().access) === account
}

async function keepListening({ signal, sn, since, onEvent, onOpen }: Omit<Follow, 'locale'>) {
  let lastId = since === undefined ? null : String(since)
  let failures = 0
  const isSame = sameSession()
  const hear = (event: StreamEvent) => {
    // Events between a logout and the end of the page must not reach the next session.
    if (!isSame()) return
    lastId = event.id ?? lastId
    failures = 0
    onEvent(event)
  }
  while (!signal.aborted && isSame()) {
    // However a connection ends, the next one begins with the changes since then.
    await listen(lastId, { signal, sn, onEvent: hear, onOpen }).catch(() => undefined)
    await pause(backOff(failures++), signal)
  }
}

/** One connection, until it ends. */
async function listen(lastId: string | null, { signal, sn, onEvent, onOpen }: Omit<Follow, 'locale'>) {
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
      // A dead connection sends not even heartbeats.
      clearTimeout(timer)
      timer = setTimeout(end, LIVE_SILENCE)
      for (const event of read(piece.value)) onEvent(event)
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

/** Ends early with the signal, and when the browser is online again. */
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
