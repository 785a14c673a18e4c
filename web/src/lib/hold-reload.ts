/** Delays reloads while something on screen must not be interrupted. */
const holds = new Set<symbol>()
let waiting: (() => void) | null = null

/** Returns the release function. */
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

/** Reloads now, or when the last hold is released. Several requests cause one reload. */
export function reloadWhenFree(reload: () => void) {
  if (holds.size === 0) reload()
  else waiting = reload
}
