/** Validation of settings, from the table that the server's tests share. */
import { describe, expect, it } from 'vitest'
import { settingsEntry } from '@/lib/testing/settings'
import cases from '../../../../../cases/settings.json'
import { needsAcknowledgement, needsNotice } from './check'
import { findingsOf } from './draft'

/** Typed values, the system's overrides, and the expected codes. */
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

  it('requires no field that the reader may not see: prices and the token belong to the household', () => {
    const { import_price, provider_token, ...fields } = settingsEntry('A').fields
    for (const provider of ['fixed', 'tibber']) {
      const system = settingsEntry('A', { desired: { provider } })
      expect(Object.keys(findingsOf({ charge_limit: '3000' }, [system]))).toHaveLength(1)
      expect(findingsOf({ charge_limit: '3000' }, [{ ...system, fields }])).toEqual({})
    }
  })
})

describe('the notice under §14a', () => {
  it('is required above 4.2 kW, until it was acknowledged', () => {
    expect(needsNotice(settingsEntry('A'), 4_201)).toBe(true)
    expect(needsNotice(settingsEntry('A'), 4_200)).toBe(false)
    expect(needsNotice(settingsEntry('A', { acknowledged_at: 1 }), 4_600)).toBe(false)
  })

  it('is still open for a factory limit', () => {
    const factory = { desired: { charge_limit: 4_600 } }
    expect(needsAcknowledgement(settingsEntry('A', factory))).toBe(true)
    expect(needsAcknowledgement(settingsEntry('A', { ...factory, acknowledged_at: 1 }))).toBe(false)
    expect(needsAcknowledgement(settingsEntry('A', { desired: { charge_limit: 4_200 } }))).toBe(false)
  })
})
