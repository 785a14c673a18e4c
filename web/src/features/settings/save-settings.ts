import { api } from '@/lib/api/client'
import { apiError, networkError } from '@/lib/api/errors'
import type { SystemSettings } from './model/fields'
import { isOutcome, type SaveOutcome } from './model/outcome'

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
