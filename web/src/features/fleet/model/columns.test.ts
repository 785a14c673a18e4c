import { expect, it } from 'vitest'
import { keepColumns, readColumns, withColumn } from './columns'

it('a browser that chose nothing has the usual columns', () => {
  expect(readColumns()).toEqual([
    'status',
    'alarms',
    'sn',
    'customer',
    'group',
    'soc',
    'pv',
    'battery',
    'grid',
    'firmware',
  ])
})

it('a choice stays, in the order of the table, and never loses what a row is about', () => {
  keepColumns(withColumn(withColumn(readColumns(), 'house', true), 'group', false))
  expect(readColumns()).toContain('house')
  expect(readColumns()).not.toContain('group')
  expect(readColumns().indexOf('house')).toBeLessThan(readColumns().indexOf('firmware'))
  expect(withColumn(['status', 'sn'], 'sn', false)).toEqual(['status', 'sn'])
})

it('what an older version of the app kept is passed over', () => {
  keepColumns(['soc', 'temperature' as 'soc'])
  expect(readColumns()).toEqual(['status', 'sn', 'soc'])
})
