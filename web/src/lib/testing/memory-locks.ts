import { vi } from 'vitest'

/** A stub of Web Locks: one holder at a time, first come, first served. */
export function stubLocks() {
  let last: Promise<unknown> = Promise.resolve()
  const request = <T>(
    _name: string,
    ...rest: [() => Promise<T>] | [object, () => Promise<T>]
  ): Promise<T> => {
    const work = rest.length === 2 ? rest[1] : rest[0]
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
  vi.stubGlobal('navigator', Object.create(navigator, { locks: { value: { request } } }))
}
