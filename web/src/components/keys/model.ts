/** Results of submitted keys, and the state of claims. */

import { CLAIM_LIFETIME } from '@/lib/constants'
import type { Claim, KeyResult } from '@/lib/data/claims'
import type { Finding } from '@/lib/validation/codes'
import { checkKeys, normaliseKey } from '@/lib/validation/key'

export type Outcomes = { linked: KeyResult[]; waiting: KeyResult[]; failed: KeyResult[] }

/** Every status except linked and waiting counts as failed, also unknown ones. */
export function sortOutcomes(results: KeyResult[]): Outcomes {
  const by = (status: string) => results.filter((result) => result.status === status)
  const good = new Set(['linked', 'waiting'])
  return {
    linked: by('linked'),
    waiting: by('waiting'),
    failed: results.filter((result) => !good.has(result.status)),
  }
}

/** Updates the results by the current claims: a serial number that has left the list is linked. */
export function followClaims(results: KeyResult[], claims: Claim[], text: (status: EndedClaim) => string) {
  return results.map((result) => {
    if (result.status !== 'waiting') return result
    const claim = claims.find(({ sn }) => sn === result.key)
    if (!claim) return { ...result, status: 'linked' }
    const ended = ENDED_CLAIMS.find((status) => status === claim.status)
    return ended ? { ...result, status: ended, text: text(ended) } : result
  })
}

const ENDED_CLAIMS = ['lapsed', 'contested'] as const
type EndedClaim = (typeof ENDED_CLAIMS)[number]

export const CLAIM_MINUTES = CLAIM_LIFETIME / 60_000

/** Clamped to the lifetime of a claim, because this device's clock may be wrong. */
export const timeLeft = (expiresAt: number, now: number) =>
  Math.min(Math.max(expiresAt - now, 0), CLAIM_LIFETIME)

/** The first key that the server would reject. */
export function firstWrongKey(keys: string[]): { key: string; finding: NonNullable<Finding> } | null {
  const findings = checkKeys(keys)
  const index = findings.findIndex((finding) => finding !== null)
  const finding = findings[index]
  return finding ? { key: keys[index] ?? '', finding } : null
}

/** The format of the API: `a,b`. */
export const joinKeys = (keys: string[]) => keys.map(normaliseKey).join(',')
