import { queryOptions } from '@tanstack/react-query'
import { api } from '@/lib/api/client'
import { apiError, networkError } from '@/lib/api/errors'
import { allPrices, allSavings, allTariffs } from '@/lib/data/money'
import { allSettings, readSettings } from '@/lib/data/settings'
import type { Locale } from '@/lib/i18n/locales'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { invalidate } from '@/lib/query-client'
import { cacheSettings } from './model/cache'
import type { SystemSettings } from './model/fields'
import { isOutcome, type SaveOutcome } from './model/outcome'

export type Systems = readonly SystemSettings[]

/**
 * The settings of all systems. The battery's reasons are translated by the server, so the key contains the
 * language.
 */
export const settingsQuery = (locale: Locale) =>
  queryOptions<Systems>({
    queryKey: [...allSettings.queryKey, 'all', locale],
    queryFn: async () => {
      const systems = await readSettings(ALL_SYSTEMS)
      cacheSettings(systems)
      return systems
    },
    structuralSharing: (known, answer) => newerOf(known as Systems | undefined, answer as Systems),
  })

/** An answer that is older than what the stream delivered does not replace it. */
export function newerOf(known: Systems | undefined, answer: Systems): Systems {
  return answer.map((system) => {
    const before = known?.find(({ sn }) => sn === system.sn)
    return before && isNewer(before, system) ? before : system
  })
}

const isNewer = (one: SystemSettings, other: SystemSettings) =>
  one.version > other.version || (one.reported_at ?? 0) > (other.reported_at ?? 0)

/** The versions that were read, by serial number; the server refuses to overwrite newer changes. */
const address = (systems: readonly SystemSettings[]) => ({ sn: systems.map(({ sn }) => sn).join() })
const versionsOf = (systems: readonly SystemSettings[]) => systems.map(({ version }) => version).join()

/** Confirmations that are sent with a save. */
export type Confirmation = { password?: string; acknowledge_14a?: boolean }

type Answer = { response: Response; data?: unknown; error?: unknown }

/** The result for each system; errors of the whole request are thrown. */
async function outcomeOf(pending: Promise<Answer>): Promise<SaveOutcome> {
  const { data, error, response } = await pending.catch(() => {
    throw networkError()
  })
  const body = data ?? error
  if (isOutcome(body)) return body
  throw apiError(response, body)
}

export const saveSettings = (
  systems: readonly SystemSettings[],
  fields: Record<string, string>,
  { password, acknowledge_14a }: Confirmation,
) =>
  outcomeOf(
    api.POST('/api/auth/settings/', {
      params: { query: address(systems) },
      body: {
        ...fields,
        version: versionsOf(systems),
        ...(password ? { password } : {}),
        ...(acknowledge_14a ? { acknowledge_14a: 'true' } : {}),
      },
    }),
  )

export const resetSettings = (
  systems: readonly SystemSettings[],
  { wiring, password }: { wiring: boolean; password?: string },
) =>
  outcomeOf(
    api.POST('/api/auth/settings/reset/', {
      params: { query: address(systems) },
      body: { version: versionsOf(systems), wiring, ...(password ? { password } : {}) },
    }),
  )

/**
 * Called when the form has taken over the outcome: until then, what was typed must not be compared with what
 * was saved. A price setting is also today's tariff.
 */
export function settingsChanged() {
  void invalidate(allTariffs, allSavings, allPrices)
  return invalidate(allSettings)
}
