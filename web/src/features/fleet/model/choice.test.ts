import { expect, it } from 'vitest'
import { groupsWithout, howMany, joinedSerials, withAll, withToggled } from './choice'

const group = (name: string, systems: string[]) => ({ id: name.length, name, systems })

it('a system can be selected and deselected', () => {
  expect([...withToggled(new Set(['A']), 'B')]).toEqual(['A', 'B'])
  expect([...withToggled(new Set(['A', 'B']), 'A')]).toEqual(['B'])
})

it('all shown systems are selected, then none, and hidden ones stay', () => {
  const some = withAll(new Set(['X']), ['A', 'B'])
  expect([...some]).toEqual(['X', 'A', 'B'])
  expect([...withAll(some, ['A', 'B'])]).toEqual(['X'])
})

it.each([
  [[], 'none'],
  [['A'], 'some'],
  [['A', 'B', 'X'], 'all'],
])('%j of two are %s', (chosen, many) => {
  expect(howMany(new Set(chosen), ['A', 'B'])).toBe(many)
})

it('a group keeps its systems and gets the selected ones, without duplicates', () => {
  expect(joinedSerials(group('Süd', ['A', 'B']), new Set(['B', 'C']))).toEqual(['A', 'B', 'C'])
})

it('only groups with selected systems lose them', () => {
  const groups = [group('Süd', ['A', 'B']), group('Gewerbe', ['C'])]
  expect(groupsWithout(groups, new Set(['A']))).toEqual([{ group: groups[0], serials: ['B'] }])
})
