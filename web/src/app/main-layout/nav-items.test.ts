import { describe, expect, it } from 'vitest'
import { navItems, profileSettings } from './nav-items'

describe('the side menu', () => {
  it('has dashboard, update and settings for owners', () => {
    expect(navItems('user').map(({ to }) => to)).toEqual(['/dashboard', '/update', '/settings'])
  })

  it('has its own dashboard and settings and no update for electricians', () => {
    expect(navItems('electrician').map(({ to }) => to)).toEqual([
      '/electrician-dashboard',
      '/electrician-settings',
    ])
  })
})

describe('the settings entry of the profile menu', () => {
  it.each([
    ['/electrician-dashboard', '/electrician-settings'],
    ['/electrician-settings', '/electrician-settings'],
    ['/electrician-dashboard/8K2041773', '/electrician-settings'],
    ['/dashboard', '/settings'],
    ['/update', '/settings'],
    ['/charts', '/settings'],
  ])('leads from %s to %s', (path, settings) => {
    expect(profileSettings(path)).toBe(settings)
  })
})
