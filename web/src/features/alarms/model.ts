/** Alarms as the live data name them, and how far one has come. */
import { ALL_SYSTEMS, type Live, type LiveEntry } from '@/lib/live/live'

type Progress = { acknowledged_at: number | null; dismissed_at: number | null; closed_at: number | null }

export type AlarmState = 'open' | 'seen' | 'dismissed' | 'over'

export const stateOf = ({ acknowledged_at, dismissed_at, closed_at }: Progress): AlarmState => {
  if (closed_at !== null) return 'over'
  if (dismissed_at !== null) return 'dismissed'
  return acknowledged_at === null ? 'open' : 'seen'
}

/** Changes whenever an alarm of these systems opens, closes or is acknowledged. */
export function openKey(live: Pick<Live, 'entries'> | undefined, sn: string): string {
  const entries = Object.entries(live?.entries ?? {})
  const wanted = entries.filter(([one]) => one !== ALL_SYSTEMS && (sn === ALL_SYSTEMS || one === sn))
  return wanted
    .flatMap(([, entry]) => alarmsIn(entry).map(({ id, acknowledged }) => `${id}${acknowledged ? 's' : 'o'}`))
    .sort()
    .join()
}

/** What an older version of the app has kept has none. */
export const alarmsIn = (entry: Partial<Pick<LiveEntry, 'alarms'>> | undefined) => entry?.alarms ?? []
