import { expect, it } from 'vitest'
import { pointsOf, stepsOf } from './steps'

const hours = (...at: number[]) => at.map((hour) => hour * 3_600_000)

it('a step ends at the next one, and the last is as long as the one before it', () => {
  const graph = { time: hours(0, 24, 47), resolution: 'day' }
  expect(stepsOf(graph)).toEqual([
    [0, 86_400],
    [86_400, 169_200],
    [169_200, 252_000],
  ])
})

it('days are drawn at their middle, hours at their beginning', () => {
  expect(pointsOf({ time: hours(0, 24), resolution: 'day' })).toEqual([43_200, 129_600])
  expect(pointsOf({ time: hours(0, 1), resolution: 'hour' })).toEqual([0, 3_600])
})
