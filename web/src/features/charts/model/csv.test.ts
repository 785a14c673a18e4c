import { expect, it } from 'vitest'
import { joinTables } from './csv'

it('puts the tables of several systems under one heading, each row with its system', () => {
  const tables = [
    { name: 'Alle, zusammen', table: 'Zeit,UTC,PV\r\n12:00,10:00,700\r\n12:15,10:15,\r\n' },
    { name: 'SC24B0001', table: 'Zeit,UTC,PV\r\n12:00,10:00,300\r\n' },
  ]
  expect(joinTables(tables, 'Anlage')).toBe(
    [
      'Anlage,Zeit,UTC,PV',
      '"Alle, zusammen",12:00,10:00,700',
      '"Alle, zusammen",12:15,10:15,',
      'SC24B0001,12:00,10:00,300',
      '',
    ].join('\r\n'),
  )
})
