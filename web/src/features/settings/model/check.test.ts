/** The rules of the settings, by the table that the server's tests read too. */
import { describe, expect, it } from 'vitest'
import { settingsEntry } from '@/lib/testing/settings'
import cases from '../../../../../cases/settings.json'
import { needsNotice, owesNotice } from './check'
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

  it('misses nothing that the reader may not see: prices and the token are the household’s', () => {
    const { import_price, provider_token, ...fields } = settingsEntry('A').fields
    for (const provider of ['fixed', 'tibber']) {
      const system = settingsEntry('A', { desired: { provider } })
      expect(Object.keys(findingsOf({ charge_limit: '3000' }, [system]))).toHaveLength(1)
      expect(findingsOf({ charge_limit: '3000' }, [{ ...system, fields }])).toEqual({})
    }
  })
})

describe('the notice under §14a', () => {
  it('is needed above 4.2 kW, until it was acknowledged', () => {
    expect(needsNotice(settingsEntry('A'), 4_201)).toBe(true)
    expect(needsNotice(settingsEntry('A'), 4_200)).toBe(false)
    expect(needsNotice(settingsEntry('A', { acknowledged_at: 1 }), 4_600)).toBe(false)
  })

  it('is owed for a limit that the unit came with', () => {
    const factory = { desired: { charge_limit: 4_600 } }
    expect(owesNotice(settingsEntry('A', factory))).toBe(true)
    expect(owesNotice(settingsEntry('A', { ...factory, acknowledged_at: 1 }))).toBe(false)
    expect(owesNotice(settingsEntry('A', { desired: { charge_limit: 4_200 } }))).toBe(false)
  })
})
