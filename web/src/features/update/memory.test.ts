import { beforeEach, describe, expect, it } from 'vitest'
import { resetSessionStore, useSession } from '@/lib/session/session-store'
import { STORAGE } from '@/lib/storage-keys'
import {
  chooseSystem,
  clearWizard,
  forgetCancelled,
  goToStep,
  hideUpdate,
  markInterrupted,
  readStarted,
  rememberState,
  restoreStarted,
  showCancelled,
  storeUpdates,
} from './memory'
import { updateStatus } from './testing'

const wizard = () => useSession.getState().update
const stored = () => JSON.parse(localStorage.getItem(STORAGE.updates) ?? 'null')

beforeEach(resetSessionStore)

describe('the notice of a withdrawn update', () => {
  it('survives the following reload, and only that one', () => {
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

describe('the browser’s memory of an update', () => {
  it('holds system and state, in the session and in local storage', () => {
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

  it('holds the server’s answer to the start, not interrupted until it is', () => {
    const { updates } = updateStatus()
    storeUpdates('A', updates)
    storeUpdates('B', [])
    expect(stored()).toEqual({ A: { updates, interrupted: false }, B: { updates: [], interrupted: false } })
    markInterrupted('A')
    expect(stored().A).toEqual({ updates, interrupted: true })
    expect(stored().B.interrupted).toBe(false)
  })

  it('is restored in a new tab', () => {
    rememberState('A', 'started')
    resetSessionStore()
    restoreStarted()
    expect(wizard()).toMatchObject({ sn: 'A', step: 1, states: { A: 'started' } })
    rememberState('A', 'finished')
    resetSessionStore()
    restoreStarted()
    expect(wizard()).toMatchObject({ sn: 'A', step: 2 })
  })

  it('does not replace this tab’s choice', () => {
    rememberState('A', 'started')
    chooseSystem('B')
    restoreStarted()
    expect(wizard().sn).toBe('B')
  })

  it.each(['', 'x', '[]', 'null', '{"sn":1,"state":"started"}', '{"sn":"A","state":"late"}'])(
    'is nothing if it reads %j',
    (text) => {
      localStorage.setItem(STORAGE.updateStarted, text)
      expect(readStarted()).toBeNull()
    },
  )

  it('is cleared for the system whose wizard ended, and only for that one', () => {
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

  it('hides an update that was left until its system is chosen again', () => {
    hideUpdate('A')
    hideUpdate('A')
    expect(wizard().hidden).toEqual(['A'])
    chooseSystem('A')
    expect(wizard().hidden).toEqual([])
  })
})
