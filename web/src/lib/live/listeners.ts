/** Listeners of the event stream besides live data: settings and commands, while their page is open. */
import type { StreamEvent } from './sse-parser'

/** `opened`: a new connection, which does not repeat earlier events, so the data has to be refetched. */
type StreamNotice = StreamEvent | 'opened'
type Listener = (notice: StreamNotice) => void

const listeners = new Set<Listener>()

/** Returns the unsubscribe function. */
export function listen(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function notifyListeners(notice: StreamNotice) {
  for (const listener of listeners) listener(notice)
}
