/** Secrets of mailed links stand behind the `#`, which never leaves the browser; they must not stay in its bar either. */
import { useLayoutEffect, useState } from 'react'

export function readFragment(name: string, hash = location.hash): string | null {
  return new URLSearchParams(hash.slice(1)).get(name) || null
}

/** Without a new entry in the history, so that "back" does not bring the secret back. */
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
    // Opened in a tab that shows this page already, a link loads nothing: only what is behind the `#` changes.
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [name])
  return secret
}
