import { expect, it } from 'vitest'
import { fitted } from './shrink'

it.each([
  [4_000, 3_000, 1_600, 1_200],
  [3_000, 4_000, 1_200, 1_600],
  [800, 600, 800, 600],
  [9_000, 2, 1_600, 1],
])('%i × %i becomes %i × %i', (width, height, smaller, lower) => {
  expect(fitted(width, height)).toEqual({ width: smaller, height: lower })
})
