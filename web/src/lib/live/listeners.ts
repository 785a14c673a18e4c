/** Who wants to hear more of the event stream than live data: settings and commands, each while its page is open. */
import type { StreamEvent } from './sse-parser'

/** A new connection tells nothing of what happened before it: `opened` means that it is time to ask. */
type News = StreamEvent | 'opened'
type Listener = (news: News) => void

const listeners = new Set<Listener>()

/** Answers how to stop listening. */
export function listen(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function tellListeners(news: News) {
  for (const listener of listeners) listener(news)
}
