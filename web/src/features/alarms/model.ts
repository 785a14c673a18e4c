/** Alarms in the live data, and the state of an alarm. */
import { ALL_SYSTEMS, type Live, type LiveEntry } from '@/lib/live/live'

type Progress = { acknowledged_at: number | null; dismissed_at: number | null; closed_at: number | null }

export type AlarmState = 'open' | 'seen' | 'dismissed' | 'over'

export const stateOf = ({ acknowledged_at, dismissed_at, closed_at }: Progress): AlarmState => {
  if (closed_at !== null) return 'over'
  if (dismissed_at !== null) return 'dismissed'
  return acknowledged_at === null ? 'open' : 'seen'
}

/** A key that changes when an alarm of these systems opens, closes or is acknowledged. */
export function alarmsKey(live: Pick<Live, 'entries'> | undefined, sn: string): string {
  const entries = Object.entries(live?.entries ?? {})
  const wanted = entries.filter(([one]) => one !== ALL_SYSTEMS && (sn === ALL_SYSTEMS || one === sn))
  return wanted
    .flatMap(([, entry]) => alarmsIn(entry).map(({ id, acknowledged }) => `${id}${acknowledged ? 's' : 'o'}`))
    .sort()
    .join()
}

/** An entry that an older version has cached has none. */
export const alarmsIn = (entry: Partial<Pick<LiveEntry, 'alarms'>> | undefined) => entry?.alarms ?? []
