/** What became of keys, and of serial numbers that wait. */
import type { Claim, KeyResult } from '@/lib/api/queries'
import { CLAIM_LIFETIME } from '@/lib/constants'
import type { Finding } from '@/lib/validation/codes'
import { checkKeys, normaliseKey } from '@/lib/validation/key'

export type Outcomes = { linked: KeyResult[]; waiting: KeyResult[]; failed: KeyResult[] }

/** Whatever is neither linked nor waiting has failed, also a status that we do not know yet. */
export function sortOutcomes(results: KeyResult[]): Outcomes {
  const by = (status: string) => results.filter((result) => result.status === status)
  const good = new Set(['linked', 'waiting'])
  return {
    linked: by('linked'),
    waiting: by('waiting'),
    failed: results.filter((result) => !good.has(result.status)),
  }
}

/** As keys stand now, by the claims that are left: a serial number that has left the list is linked. */
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

/** Never more than a claim lasts: the clock of this device may be wrong, the server's decides. */
export const timeLeft = (expiresAt: number, now: number) =>
  Math.min(Math.max(expiresAt - now, 0), CLAIM_LIFETIME)

/** The first key that will not be taken. */
export function firstWrongKey(keys: string[]): { key: string; finding: NonNullable<Finding> } | null {
  const findings = checkKeys(keys)
  const index = findings.findIndex((finding) => finding !== null)
  const finding = findings[index]
  return finding ? { key: keys[index] ?? '', finding } : null
}

/** As the call takes them: `a,b`. */
export const joinKeys = (keys: string[]) => keys.map(normaliseKey).join(',')
