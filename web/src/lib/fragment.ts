/**
 * Secrets of mailed links are in the fragment, which is never sent to a server; it must not stay in the
 * address bar either.
 */
import { useLayoutEffect, useState } from 'react'

export function readFragment(name: string, hash = location.hash): string | null {
  return new URLSearchParams(hash.slice(1)).get(name) || null
}

/** Replaces the history entry, so that "back" does not restore the secret. */
export function dropFragment() {
  history.replaceState(history.state, '', location.pathname + location.search)
}

/** The secret of the link that opened this page, kept in memory only. */
export function useFragment(name: string): string | null {
  const [secret, setSecret] = useState(() => readFragment(name))
  useLayoutEffect(() => {
    const take = () => {
      const found = readFragment(name)
      if (!found) return
      setSecret(found)
      dropFragment()
    }
    take()
    // A link that is opened in a tab which already shows this page changes only the fragment.
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [name])
  return secret
}
