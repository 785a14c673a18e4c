import { describe, expect, it } from 'vitest'
import { readCalendarSearch } from './search'

describe('the address of a month', () => {
  it('names a month and a system', () => {
    expect(readCalendarSearch({ month: '2026-10', sn: 8_204_177 })).toEqual({
      month: '2026-10',
      sn: '8204177',
    })
  })

  it.each(['2026-13', '2026-1', '1999-12', '2026-10-01', 202_610, null])('ignores %s', (month) => {
    expect(readCalendarSearch({ month })).toEqual({})
  })
})
