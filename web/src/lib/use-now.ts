import { useEffect, useState } from 'react'

/**
 * The present moment in milliseconds, anew every second or after another interval.
 * @param moment when something changes: the hook does not miss it, however long the interval is
 */
export function useNow(interval = 1_000, moment: number | null = null): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), interval)
    return () => clearInterval(timer)
  }, [interval])
  useEffect(() => {
    const wait = moment === null ? -1 : moment - Date.now()
    if (wait < 0) return
    const timer = setTimeout(() => setNow(Date.now()), wait)
    return () => clearTimeout(timer)
  }, [moment])
  return now
}
