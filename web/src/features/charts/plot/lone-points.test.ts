import { expect, it } from 'vitest'
import { lonePoints } from './lone-points'

const found = (values: (number | null)[]) => lonePoints({ data: [[], values] } as never, 1)

it('finds values between two gaps, also at the edges', () => {
  expect(found([5, null, 7, 8, null, 0])).toEqual([0, 5])
})

it('ignores lines', () => {
  expect(found([1, 2, null, 4, 5])).toBeNull()
})
