import { describe, expect, it } from 'vitest'
import { settingsEntry } from '@/lib/testing/settings'
import { cachedSettings, cacheSettings } from './cache'

describe('cached settings', () => {
  it('are stored per device, with their time', () => {
    cacheSettings([settingsEntry('A'), settingsEntry('B')], 1_000)
    cacheSettings([settingsEntry('B', { version: 4 })], 2_000)
    expect(Object.keys(localStorage).sort()).toEqual(['settings_A', 'settings_B'])
    const kept = cachedSettings()
    expect(kept?.at).toBe(1_000)
    expect(kept?.systems.map(({ sn, version }) => [sn, version])).toEqual([
      ['A', 3],
      ['B', 4],
    ])
  })

  it('contain nothing of a token', () => {
    cacheSettings([settingsEntry('A', { desired: { provider: 'tibber', provider_token: '…1a2b' } })])
    expect(localStorage.getItem('settings_A')).not.toContain('1a2b')
  })

  it.each([
    ['missing', null],
    ['broken', '{'],
    ['of another shape', '{"reserve_soc":10}'],
    ['of another version', JSON.stringify({ version: 0, at: 1, settings: settingsEntry('A') })],
    ['of another device', JSON.stringify({ version: 1, at: 1, settings: settingsEntry('B') })],
  ])('are ignored if they are %s', (_, stored) => {
    if (stored) localStorage.setItem('settings_A', stored)
    expect(cachedSettings()).toBeNull()
  })
})
