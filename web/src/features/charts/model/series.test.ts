import { describe, expect, it } from 'vitest'
import { columnsOf, directionWord, roundForChart, SERIES, seriesOf } from './series'

describe('chart numbers', () => {
  it.each([
    [0.2, 1],
    [0, 0],
    [-0.2, -1],
    [1_234, 1_234],
  ])('%d W is drawn as %d, rounded away from zero', (value, expected) => {
    expect(roundForChart(value, 'power')).toBe(expected)
  })

  it('keep tenths of a volt, and gaps', () => {
    expect(roundForChart(231.4, 'voltage')).toBe(231.4)
    expect(roundForChart(null, 'power')).toBeNull()
    expect(roundForChart(undefined, 'energy')).toBeNull()
  })
})

describe('the word beside a value', () => {
  const word = (code: string, value: number, reporting?: number) =>
    seriesOf([code]).map((series) => directionWord(value, series, reporting))[0]

  it('is that of the cards', () => {
    expect([10, 31, -31].map((watts) => word('m0', watts))).toEqual([
      'flow.grid.idle',
      'flow.grid.positive',
      'flow.grid.negative',
    ])
    expect([0, 31].map((watts) => word('m1', watts))).toEqual(['flow.battery.idle', 'flow.battery.positive'])
  })

  it('ignores the summed noise of several meters, for the grid only', () => {
    expect(word('m0', 80, 3)).toBe('flow.grid.idle')
    expect(word('m1', 80, 3)).toBe('flow.battery.positive')
  })

  it('is missing if there is no direction', () => expect(word('m6', 500)).toBeNull())
})

describe('the columns of the table', () => {
  const columns = (code: string) => seriesOf([code]).flatMap(columnsOf)

  it('have words instead of a sign', () => {
    const [above, below] = columns('m0')
    expect([above?.label, below?.label]).toEqual(['column.import', 'column.feed_in'])
    expect([above?.value(-700), below?.value(-700)]).toEqual([0, 700])
    expect([above?.value(null), below?.value(null)]).toEqual([null, null])
  })

  it('never contain a negative number', () => {
    for (const column of SERIES.flatMap(columnsOf)) expect(column.value(-5)).toBeGreaterThanOrEqual(0)
  })
})

it('only forecasts are dashed', () => {
  expect(SERIES.filter(({ forecast }) => forecast).map(({ code }) => code)).toEqual(['ef', 'lf'])
})
