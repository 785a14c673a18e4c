import { useLive } from './live/use-live'
import { useSelection } from './selection'
import { siteDayOf } from './site-day'

/** The selected system, its newest entry, and the current day at its site. */
export function useSite() {
  const { sn } = useSelection()
  const { data: live } = useLive()
  const entry = sn === null ? undefined : live?.entries[sn]
  return { sn, entry, today: siteDayOf(Date.now() + (live?.skew ?? 0), entry?.time_zone) }
}
