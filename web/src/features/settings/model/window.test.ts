import { expect, it } from 'vitest'
import { barsOf } from './window'

it.each([
  ['00:00', '24:00', [{ from: 0, to: 1 }]],
  ['06:00', '18:00', [{ from: 0.25, to: 0.75 }]],
  [
    '18:00',
    '06:00',
    [
      { from: 0, to: 0.25 },
      { from: 0.75, to: 1 },
    ],
  ],
  ['18:00', '00:00', [{ from: 0.75, to: 1 }]],
  ['08:00', '08:00', []],
  [null, '08:00', []],
])('a window from %s to %s is drawn as it is', (start, end, bars) => expect(barsOf(start, end)).toEqual(bars))
