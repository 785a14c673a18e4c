/** The rules of the settings, by the table that the server's tests read too. */
import { describe, expect, it } from 'vitest'
import { settingsEntry } from '@/lib/testing/settings'
import cases from '../../../../../cases/settings.json'
import { needsNotice } from './check'
import { findingsOf } from './draft'

/** What was typed into a system that is set in a special way, and the codes of what is wrong with it. */
type Case = {
  about: string
  given: Partial<Record<string, string>>
  codes: Partial<Record<string, string>>
  desired?: Record<string, unknown>
  has_token?: boolean
}

describe('what people type', () => {
  it.each(cases.cases as Case[])('$about: $given → $codes', ({ given, codes, desired, has_token }) => {
    const provider_token = has_token ? '…1a2b' : null
    const system = settingsEntry('A', { desired: { ...desired, provider_token } })
    expect(findingsOf(given, [system])).toEqual(codes)
  })
})

describe('the notice under §14a', () => {
  it('is needed above 4.2 kW, until it was acknowledged', () => {
    expect(needsNotice(settingsEntry('A'), 4_201)).toBe(true)
    expect(needsNotice(settingsEntry('A'), 4_200)).toBe(false)
    expect(needsNotice(settingsEntry('A', { acknowledged_at: 1 }), 4_600)).toBe(false)
  })
})
