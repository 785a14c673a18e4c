import { expect, it } from 'vitest'
import { keepColumns, readColumns, withColumn } from './columns'

it('are the default ones in a browser without a choice', () => {
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

it('keep their order, and always include the fixed ones', () => {
  keepColumns(withColumn(withColumn(readColumns(), 'house', true), 'group', false))
  expect(readColumns()).toContain('house')
  expect(readColumns()).not.toContain('group')
  expect(readColumns().indexOf('house')).toBeLessThan(readColumns().indexOf('firmware'))
  expect(withColumn(['status', 'sn'], 'sn', false)).toEqual(['status', 'sn'])
})

it('ignore what an older version has stored', () => {
  keepColumns(['soc', 'temperature' as 'soc'])
  expect(readColumns()).toEqual(['status', 'sn', 'soc'])
})
