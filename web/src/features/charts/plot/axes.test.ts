import { expect, it } from 'vitest'
import { digitsOf } from './axes'

it.each([
  [5, 0],
  [2.5, 1],
  [0.5, 1],
  [0.25, 2],
  [0.2, 1],
  [0.05, 2],
])('an axis in steps of %d is written with %d digits', (step, digits) => {
  expect(digitsOf(step)).toBe(digits)
})
