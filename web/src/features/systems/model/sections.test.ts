import { describe, expect, it } from 'vitest'
import type { System } from '@/lib/data/systems'
import { endUserOf, sectionsOf } from './sections'

const system = (sn: string, group_name: string | null = null): System => ({
  sn,
  phase: 1,
  time_zone: 'Europe/Berlin',
  isActive: true,
  access: 'owner',
  group_name,
})
const shown = (...args: Parameters<typeof sectionsOf>) =>
  sectionsOf(...args).map(({ name, systems }) => [name, ...systems.map(({ sn }) => sn)])

describe('the sections of the list', () => {
  it('are the groups by name, then the systems without one', () => {
    const systems = [system('A'), system('B', 'zuhause'), system('C', 'Ferienhaus'), system('D', 'zuhause')]
    expect(shown(systems)).toEqual([
      ['Ferienhaus', 'C'],
      ['zuhause', 'B', 'D'],
      [null, 'A'],
    ])
  })

  it('are one without a heading if there are no groups', () => {
    expect(shown([system('A'), system('B')])).toEqual([[null, 'A', 'B']])
  })

  it('have none for systems without a group if every system has one', () => {
    expect(shown([system('A', 'Haus')])).toEqual([['Haus', 'A']])
  })

  it('include empty groups, in natural order', () => {
    expect(shown([system('A', 'Haus 2')], ['Haus 10', 'Haus 2'])).toEqual([['Haus 2', 'A'], ['Haus 10']])
  })
})

describe('the end user', () => {
  it.each([
    [{ first_name: 'Ada', last_name: 'Muster' }, 'Ada Muster'],
    [{ first_name: null, last_name: 'Muster' }, 'Muster'],
    [{}, ''],
  ])('%o is "%s"', (names, expected) => {
    expect(endUserOf({ ...system('A'), ...names })).toBe(expected)
  })
})
