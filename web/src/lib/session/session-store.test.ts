import { beforeEach, describe, expect, it } from 'vitest'
import { SESSION_STORE, STORAGE } from '../storage-keys'
import { resetSessionStore, useSession } from './session-store'

describe('the session of a tab', () => {
  beforeEach(() => localStorage.clear())

  it.each([
    ['electrician', 'electrician'],
    ['user', 'user'],
    ['operator', 'user'],
    [null, 'user'],
  ])('begins with the stored role %s as %s', (stored, role) => {
    if (stored) localStorage.setItem(STORAGE.role, stored)
    resetSessionStore()
    expect(useSession.getState().role).toBe(role)
  })

  it('is stored in session storage, and only there', () => {
    useSession.setState({ serials: ['8K2041773'], selected: '8K2041773' })
    const { state } = JSON.parse(sessionStorage.getItem(SESSION_STORE) ?? '{}')
    expect(state).toMatchObject({ serials: ['8K2041773'], selected: '8K2041773' })
    expect(JSON.stringify({ ...localStorage })).not.toContain('8K2041773')
    resetSessionStore()
  })
})
