import { describe, expect, it } from 'vitest'
import { pageCount, pageOf, shownPages } from './pages'

describe('the pages of a list', () => {
  it.each([
    [1, 3, [1, 2, 3]],
    [1, 9, [1, 2, 3, 4, 5]],
    [5, 9, [3, 4, 5, 6, 7]],
    [9, 9, [5, 6, 7, 8, 9]],
  ])('on page %i of %i offer %j', (page, count, expected) => {
    expect(shownPages(page, count)).toEqual(expected)
  })

  it('hold ten items each', () => {
    const items = Array.from({ length: 23 }, (_, place) => place)
    expect(pageCount(items.length, 10)).toBe(3)
    expect(pageOf(items, 3, 10).items).toEqual([20, 21, 22])
    expect(pageCount(0, 10)).toBe(1)
  })

  it('fall back to the last one when the list became shorter', () => {
    expect(pageOf([1, 2], 4, 10)).toEqual({ current: 1, items: [1, 2] })
  })
})
