import { expect, it } from 'vitest'
import { placeAt } from './use-pointed'

it.each([
  [0, 7, 0],
  [0.5, 7, 3],
  [1, 7, 6],
  [0.99, 1, 0],
  [null, 7, null],
  [0.5, 0, null],
])('at %s of %i places is number %s', (share, count, expected) => {
  expect(placeAt(share, count)).toBe(expected)
})
