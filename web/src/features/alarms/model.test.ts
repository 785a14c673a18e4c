import { describe, expect, it } from 'vitest'
import { liveEntry } from '@/lib/testing/live'
import { alarmsIn, alarmsKey, stateOf } from './model'

const alarm = (id: number, acknowledged = false) => ({
  id,
  kind: 'offline',
  text: 'Nicht erreichbar',
  next: 'Bitte prüfen',
  since: 0,
  acknowledged,
})

describe('alarms', () => {
  it('are open, then acknowledged, and in the end over', () => {
    const never = { acknowledged_at: null, dismissed_at: null, closed_at: null }
    expect(stateOf(never)).toBe('open')
    expect(stateOf({ ...never, acknowledged_at: 1 })).toBe('seen')
    expect(stateOf({ ...never, acknowledged_at: 1, dismissed_at: 2 })).toBe('dismissed')
    expect(stateOf({ ...never, dismissed_at: 2, closed_at: 3 })).toBe('over')
  })

  it('are refetched when one opens, is acknowledged or closes, and not after a measurement', () => {
    const live = (alarms: ReturnType<typeof alarm>[]) => ({
      entries: { A: liveEntry({ alarms }), B: liveEntry(), '-1': liveEntry({ alarms }) },
    })
    const keys = [[], [alarm(1)], [alarm(1, true)], [alarm(1), alarm(2)]].map((alarms) =>
      alarmsKey(live(alarms), '-1'),
    )
    expect(new Set(keys).size).toBe(4)
    expect(alarmsKey(live([alarm(1)]), 'B')).toBe('')
    expect(alarmsKey(live([alarm(1)]), 'A')).toBe(alarmsKey(live([alarm(1)]), '-1'))
    expect(alarmsKey(undefined, '-1')).toBe('')
  })

  it('are none in an entry that an older version has cached', () => {
    expect(alarmsIn({})).toEqual([])
    expect(alarmsIn(undefined)).toEqual([])
  })
})
