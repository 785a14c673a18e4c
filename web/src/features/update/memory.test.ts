import { beforeEach, describe, expect, it } from 'vitest'
import { resetSessionStore, useSession } from '@/lib/session/session-store'
import { STORAGE } from '@/lib/storage-keys'
import {
  bringBackStarted,
  chooseSystem,
  clearWizard,
  forgetCancelled,
  goToStep,
  hideUpdate,
  markInterrupted,
  readStarted,
  rememberState,
  showCancelled,
  storeUpdates,
} from './memory'
import { updateStatus } from './testing'

const wizard = () => useSession.getState().update
const stored = () => JSON.parse(localStorage.getItem(STORAGE.updates) ?? 'null')

beforeEach(resetSessionStore)

describe('the word about an update that was withdrawn', () => {
  it('outlives the reload that follows, and no other', () => {
    const end = forgetCancelled()
    showCancelled('withdrawn')
    dispatchEvent(new Event('pagehide'))
    expect(wizard().cancelled).toBe('withdrawn')
    end()
    const endNext = forgetCancelled()
    dispatchEvent(new Event('pagehide'))
    expect(wizard().cancelled).toBeNull()
    endNext()
  })
})

describe('what the browser remembers of an update', () => {
  it('is its system and state, in the session and in local storage', () => {
    rememberState('A', 'waiting')
    rememberState('A', 'started')
    expect(wizard().states).toEqual({ A: 'started' })
    expect(JSON.parse(localStorage.getItem(STORAGE.updateStarted) ?? '')).toEqual({
      sn: 'A',
      state: 'started',
    })
    rememberState('A', 'empty')
    expect(wizard().states).toEqual({})
    expect(localStorage.getItem(STORAGE.updateStarted)).toBeNull()
  })

  it('is what the server answered to the start, not interrupted until it is', () => {
    const { updates } = updateStatus()
    storeUpdates('A', updates)
    storeUpdates('B', [])
    expect(stored()).toEqual({ A: { updates, interrupted: false }, B: { updates: [], interrupted: false } })
    markInterrupted('A')
    expect(stored().A).toEqual({ updates, interrupted: true })
    expect(stored().B.interrupted).toBe(false)
  })

  it('comes back in a new tab', () => {
    rememberState('A', 'started')
    resetSessionStore()
    bringBackStarted()
    expect(wizard()).toMatchObject({ sn: 'A', step: 1, states: { A: 'started' } })
    rememberState('A', 'finished')
    resetSessionStore()
    bringBackStarted()
    expect(wizard()).toMatchObject({ sn: 'A', step: 2 })
  })

  it('does not take the place of what was chosen in this tab', () => {
    rememberState('A', 'started')
    chooseSystem('B')
    bringBackStarted()
    expect(wizard().sn).toBe('B')
  })

  it.each(['', 'x', '[]', 'null', '{"sn":1,"state":"started"}', '{"sn":"A","state":"late"}'])(
    'is nothing if it reads %j',
    (text) => {
      localStorage.setItem(STORAGE.updateStarted, text)
      expect(readStarted()).toBeNull()
    },
  )

  it('is gone for a system whose wizard is over, and only for that one', () => {
    storeUpdates('A', [])
    storeUpdates('B', [])
    rememberState('B', 'started')
    rememberState('A', 'finished')
    chooseSystem('A')
    goToStep(2)
    clearWizard('A')
    expect(wizard()).toMatchObject({ sn: null, step: 0, states: { B: 'started' } })
    expect(Object.keys(stored())).toEqual(['B'])
    clearWizard('B')
    expect(stored()).toBeNull()
  })

  it('hides an update that was left alone until its system is chosen again', () => {
    hideUpdate('A')
    hideUpdate('A')
    expect(wizard().hidden).toEqual(['A'])
    chooseSystem('A')
    expect(wizard().hidden).toEqual([])
  })
})
