/** A reload that can wait does so while something is on screen that it would disturb. */
const holds = new Set<symbol>()
let waiting: (() => void) | null = null

/** Answers how to let go. */
export function holdReload(): () => void {
  const hold = Symbol('hold')
  holds.add(hold)
  return () => {
    holds.delete(hold)
    if (holds.size > 0 || !waiting) return
    const reload = waiting
    waiting = null
    reload()
  }
}

/** Now, or as soon as nobody holds it. However many want one meanwhile, there is one. */
export function reloadWhenFree(reload: () => void) {
  if (holds.size === 0) reload()
  else waiting = reload
}
