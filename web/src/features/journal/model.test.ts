import { describe, expect, it } from 'vitest'
import { isFiltered, readFilter, withChoice } from './model'

describe('the filter of the journal', () => {
  it('is read from the address, and invalid values are ignored', () => {
    expect(
      readFilter({
        sn: 123456,
        kind: 'settings',
        actor: 'you',
        from: '2026-11-01',
        to: 'x',
        page: 2,
        part: 'journal',
      }),
    ).toEqual({ sn: '123456', kind: 'settings', actor: 'you', from: '2026-11-01', page: 2 })
    expect(readFilter({ kind: 'secrets', actor: 7, page: 0 })).toEqual({})
  })

  it('starts at the first page after a change', () => {
    expect(withChoice({ kind: 'settings', page: 3 }, { actor: 'battery' })).toEqual({
      kind: 'settings',
      actor: 'battery',
    })
    expect(withChoice({ kind: 'settings' }, { kind: '' })).toEqual({})
  })

  it('says whether entries are left out', () => {
    expect(isFiltered({ sn: 'A', page: 2 })).toBe(false)
    expect(isFiltered({ from: '2026-11-01' })).toBe(true)
  })
})
