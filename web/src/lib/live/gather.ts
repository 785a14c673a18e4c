/**
 * Passes on the first news at once, and what follows within the pause together: the thousands of systems that a stream
 * begins with come in many pieces, and each would be drawn.
 */
export function makeGatherer<News>(pause: number, pass: (news: News[]) => void) {
  let waiting: News[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = () => {
    timer = undefined
    if (waiting.length === 0) return
    const news = waiting
    waiting = []
    timer = setTimeout(next, pause)
    pass(news)
  }
  return {
    add: (one: News) => {
      waiting.push(one)
      if (timer === undefined) next()
    },
    /** What still waits is dropped. */
    stop: () => {
      clearTimeout(timer)
      waiting = []
    },
  }
}
