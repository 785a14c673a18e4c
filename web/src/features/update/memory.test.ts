import { beforeEach, describe, expect, it } from 'vitest'
import { resetSessionStore } from '@/lib/session/session-store'
import { SESSION_STORE, STORAGE } from '@/lib/storage-keys'
import { FRESH } from './machine'
import {
  forgetUpdate,
  markInterrupted,
  readStarted,
  readWizard,
  storeStarted,
  storeUpdates,
  writeWizard,
} from './memory'
import { updateStatus } from './testing'

const stored = () => JSON.parse(localStorage.getItem(STORAGE.updates) ?? 'null')

beforeEach(resetSessionStore)

describe('the browser’s memory of an update', () => {
  it('holds system and state, in the session and in local storage', () => {
    const wizard = { ...FRESH, sn: 'A', states: { A: 'started' } } as const
    writeWizard(wizard)
    storeStarted('A', 'started')
    expect(readWizard()).toEqual(wizard)
    expect(JSON.parse(sessionStorage.getItem(SESSION_STORE) ?? '').state.update.states).toEqual({
      A: 'started',
    })
    expect(JSON.parse(localStorage.getItem(STORAGE.updateStarted) ?? '')).toEqual({
      sn: 'A',
      state: 'started',
    })
    storeStarted('B', undefined)
    expect(readStarted()).toEqual({ sn: 'A', state: 'started' })
    storeStarted('A', undefined)
    expect(localStorage.getItem(STORAGE.updateStarted)).toBeNull()
  })

  it('holds the server’s answer to the start, not interrupted until it is', () => {
    const { updates } = updateStatus()
    storeUpdates('A', updates)
    storeUpdates('B', [])
    expect(stored()).toEqual({ A: { updates, interrupted: false }, B: { updates: [], interrupted: false } })
    markInterrupted('A')
    expect(stored().A).toEqual({ updates, interrupted: true })
    expect(stored().B.interrupted).toBe(false)
  })

  it.each(['', 'x', '[]', 'null', '{"sn":1,"state":"started"}', '{"sn":"A","state":"late"}'])(
    'is nothing if it reads %j',
    (text) => {
      localStorage.setItem(STORAGE.updateStarted, text)
      expect(readStarted()).toBeNull()
    },
  )

  it('is cleared for one system alone', () => {
    storeUpdates('A', [])
    storeUpdates('B', [])
    storeStarted('A', 'finished')
    forgetUpdate('A')
    expect(readStarted()).toBeNull()
    expect(Object.keys(stored())).toEqual(['B'])
    forgetUpdate('B')
    expect(stored()).toBeNull()
  })
})
