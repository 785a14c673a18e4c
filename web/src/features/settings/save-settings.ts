import { api } from '@/lib/api/client'
import { apiError, networkError } from '@/lib/api/errors'
import type { SystemSettings } from './model/fields'
import { isOutcome, type SaveOutcome } from './model/outcome'

/** What was read stands beside each serial number: the server takes nothing that was written over an unseen change. */
const address = (systems: readonly SystemSettings[]) => ({ sn: systems.map(({ sn }) => sn).join() })
const versionsOf = (systems: readonly SystemSettings[]) => systems.map(({ version }) => version).join()

/** Whoever is asked for the password, and for the notice under §14a, gives both with the save. */
export type Assurance = { password?: string; acknowledge_14a?: boolean }

type Answer = { response: Response; data?: unknown; error?: unknown }

/** How it ended for each system; whatever concerns the request as a whole is thrown. */
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
  { password, acknowledge_14a }: Assurance,
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
