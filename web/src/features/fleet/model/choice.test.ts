import { expect, it } from 'vitest'
import { howMany, joined, leftGroups, withAll, withToggled } from './choice'

const group = (name: string, systems: string[]) => ({ id: name.length, name, systems })

it('a tick comes and goes', () => {
  expect([...withToggled(new Set(['A']), 'B')]).toEqual(['A', 'B'])
  expect([...withToggled(new Set(['A', 'B']), 'A')]).toEqual(['B'])
})

it('all that are shown are ticked, then none of them, and what is not shown stays', () => {
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

it('a group keeps what it has and gets what was ticked, once', () => {
  expect(joined(group('Süd', ['A', 'B']), new Set(['B', 'C']))).toEqual(['A', 'B', 'C'])
})

it('only groups that hold something of it lose it', () => {
  const groups = [group('Süd', ['A', 'B']), group('Gewerbe', ['C'])]
  expect(leftGroups(groups, new Set(['A']))).toEqual([{ group: groups[0], serials: ['B'] }])
})
