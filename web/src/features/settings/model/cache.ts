/** The last settings of each device in local storage: available at once and offline. */
import { DEVICE_SETTINGS_PREFIX } from '@/lib/storage-keys'
import type { SystemSettings } from './fields'

/** Increase it when the format changes; other versions are ignored. */
const VERSION = 1

type CachedSettings = { version: number; at: number; settings: SystemSettings }

const keyOf = (sn: string) => DEVICE_SETTINGS_PREFIX + sn

/** Not even the end of a token is stored. */
const withoutToken = ({ desired, reported, ...rest }: SystemSettings): SystemSettings => ({
  ...rest,
  desired: { ...desired, provider_token: null },
  reported: { ...reported, provider_token: null },
})

export function cacheSettings(systems: readonly SystemSettings[], at = Date.now()) {
  for (const system of systems) {
    const kept: CachedSettings = { version: VERSION, at, settings: withoutToken(system) }
    try {
      localStorage.setItem(keyOf(system.sn), JSON.stringify(kept))
    } catch {
      // If the storage is full, only the next start is slower.
    }
  }
}

/** The cached settings of all devices; a logout deletes them. Null if there are none. */
export function cachedSettings(): { at: number; systems: SystemSettings[] } | null {
  const kept = Object.keys(localStorage)
    .sort()
    .map(readCached)
    .filter((one) => one !== null)
  if (kept.length === 0) return null
  return { at: Math.min(...kept.map(({ at }) => at)), systems: kept.map(({ settings }) => settings) }
}

function readCached(key: string): CachedSettings | null {
  if (!key.startsWith(DEVICE_SETTINGS_PREFIX)) return null
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<CachedSettings> | null
    return kept?.version === VERSION && keyOf(kept.settings?.sn ?? '') === key
      ? (kept as CachedSettings)
      : null
  } catch {
    return null
  }
}
