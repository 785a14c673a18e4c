import { describe, expect, it } from 'vitest'
import { startUp } from './start-up'

describe('the start of the portal', () => {
  it.each([
    ['the first list of a tab', 'user', null, ['A'], 'stay'],
    ['the same systems', 'user', ['A', 'B'], ['A', 'B'], 'stay'],
    ['the same systems in another order', 'user', ['A', 'B'], ['B', 'A'], 'stay'],
    ['one system more', 'user', ['A'], ['A', 'B'], 'changed'],
    ['one system less', 'user', ['A', 'B'], ['B'], 'changed'],
    ['another system', 'user', ['A'], ['B'], 'changed'],
    ['an owner without systems', 'user', null, [], 'no_systems'],
    ['an owner whose last system is gone', 'user', ['A'], [], 'no_systems'],
    ['an electrician with an empty fleet', 'electrician', null, [], 'stay'],
    ['an electrician whose fleet stays empty', 'electrician', [], [], 'stay'],
    ['an electrician whose last grant has ended', 'electrician', ['A'], [], 'changed'],
  ] as const)('%s', (_name, role, known, found, expected) => {
    expect(startUp({ role, known, found })).toBe(expected)
  })
})
