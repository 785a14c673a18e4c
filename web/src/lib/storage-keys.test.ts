import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DEVICE_SETTINGS_PREFIX, STORAGE } from './storage-keys'

describe('the storage keys', () => {
  it('are those of the specification, section 3', () => {
    expect(Object.values(STORAGE).sort()).toEqual([
      'access_token',
      'darkMode',
      'language',
      'logoutNotification',
      'refresh_token',
      'role',
      'updateStarted',
      'updates',
    ])
    expect(DEVICE_SETTINGS_PREFIX).toBe('settings_')
  })

  it('are the same in boot.js, which cannot import them', () => {
    const boot = readFileSync('public/boot.js', 'utf8')
    const read = [...boot.matchAll(/getItem\('(\w+)'\)/g)].map(([, key]) => key)
    expect(read).toEqual([STORAGE.darkMode, STORAGE.language])
  })
})
