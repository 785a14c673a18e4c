import { describe, expect, it } from 'vitest'
import { selectable, selectedOf } from './selection'

describe('the selected system', () => {
  it.each([
    ['the only one', ['A'], [], 'A'],
    ['all of them by default', ['A', 'B'], [], '-1'],
    ['what a link says', ['A', 'B'], ['B', 'A'], 'B'],
    ['what was chosen, without a link', ['A', 'B'], [undefined, 'A'], 'A'],
    ['what was chosen, if the link names somebody else’s', ['A', 'B'], ['X', 'B'], 'B'],
    ['the only one, although all of them were chosen once', ['A'], ['-1'], 'A'],
    ['none without systems', [], ['A'], null],
  ] as const)('is %s', (_name, serials, candidates, expected) => {
    expect(selectedOf(serials, candidates)).toBe(expected)
  })

  it('can be all of them only with more than one', () => {
    expect(selectable(['A'])).toEqual(['A'])
    expect(selectable(['A', 'B'])).toEqual(['-1', 'A', 'B'])
  })
})
