import { useEffect, useState } from 'react'

/**
 * The current time in ms, updated by default every second. @param moment a time at which it updates exactly,
 * however long the interval is
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
