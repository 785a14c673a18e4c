/** The settings that each device had last, in local storage: they are there at once, and without a network. */
import { DEVICE_SETTINGS_PREFIX } from '@/lib/storage-keys'
import type { SystemSettings } from './fields'

/** Another number, and what an older version of the app has kept is passed over: it may have had another shape. */
const VERSION = 1

type Kept = { version: number; at: number; settings: SystemSettings }

const keyOf = (sn: string) => DEVICE_SETTINGS_PREFIX + sn

/** Not even the end of a token stays behind in the browser. */
const withoutToken = ({ desired, reported, ...rest }: SystemSettings): SystemSettings => ({
  ...rest,
  desired: { ...desired, provider_token: null },
  reported: { ...reported, provider_token: null },
})

export function keepSettings(systems: readonly SystemSettings[], at = Date.now()) {
  for (const system of systems) {
    const kept: Kept = { version: VERSION, at, settings: withoutToken(system) }
    try {
      localStorage.setItem(keyOf(system.sn), JSON.stringify(kept))
    } catch {
      // A full storage costs the next start a moment, nothing else.
    }
  }
}

/** Of every device that is known here: a logout forgets them all. Null: of none. */
export function keptSettings(): { at: number; systems: SystemSettings[] } | null {
  const kept = Object.keys(localStorage)
    .sort()
    .map(readKept)
    .filter((one) => one !== null)
  if (kept.length === 0) return null
  return { at: Math.min(...kept.map(({ at }) => at)), systems: kept.map(({ settings }) => settings) }
}

function readKept(key: string): Kept | null {
  if (!key.startsWith(DEVICE_SETTINGS_PREFIX)) return null
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<Kept> | null
    return kept?.version === VERSION && keyOf(kept.settings?.sn ?? '') === key ? (kept as Kept) : null
  } catch {
    return null
  }
}
