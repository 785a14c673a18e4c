import { describe, expect, it } from 'vitest'
import { readFleetSearch, viewOf, withChange, withSort } from './search'

describe('the address of the fleet', () => {
  it('is empty while everything is shown, worst first', () => {
    expect(readFleetSearch({ show: 'all', sort: 'status', q: '', down: false })).toEqual({})
    expect(viewOf({})).toEqual({ q: '', filter: 'all', group: null, sort: 'status', descending: false })
  })

  it('keeps search, filter, group and order', () => {
    const search = { q: 'kovač', show: 'offline', group: 'Süd', sort: 'soc', down: true } as const
    expect(readFleetSearch(search)).toEqual(search)
  })

  it('accepts a search for digits, and the group of systems without one', () => {
    expect(readFleetSearch({ q: 2041, group: '' })).toEqual({ q: '2041', group: '' })
  })

  it('ignores invalid values', () => {
    expect(readFleetSearch({ q: ['x'], show: 'everything', sort: 'constructor', down: 'yes' })).toEqual({})
  })

  it('reverses the order with a second click', () => {
    expect(withSort({}, 'soc')).toEqual({ sort: 'soc' })
    expect(withSort({ sort: 'soc' }, 'soc')).toEqual({ sort: 'soc', down: true })
    expect(withSort({ sort: 'soc', down: true }, 'soc')).toEqual({ sort: 'soc' })
    expect(withSort({ sort: 'soc', down: true }, 'status')).toEqual({})
  })

  it('drops removed values', () => {
    expect(withChange({ q: 'a', group: 'Süd' }, { group: undefined })).toEqual({ q: 'a' })
  })
})
