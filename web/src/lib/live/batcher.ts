/**
 * Passes on the first event at once, and those within the pause together: a stream begins with thousands of
 * systems in many pieces, and each would be rendered.
 */
export function makeBatcher<Item>(pause: number, pass: (batch: Item[]) => void) {
  let waiting: Item[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = () => {
    timer = undefined
    if (waiting.length === 0) return
    const batch = waiting
    waiting = []
    timer = setTimeout(next, pause)
    pass(batch)
  }
  return {
    add: (one: Item) => {
      waiting.push(one)
      if (timer === undefined) next()
    },
    /** Drops what is still waiting. */
    stop: () => {
      clearTimeout(timer)
      waiting = []
    },
  }
}
