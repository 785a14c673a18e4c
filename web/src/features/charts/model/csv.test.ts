import { expect, it } from 'vitest'
import { joinTables } from './csv'

it('joins the tables of several systems with one heading and a system column', () => {
  const tables = [
    { name: 'All, together', table: 'Time,UTC,PV\r\n12:00,10:00,700\r\n12:15,10:15,\r\n' },
    { name: 'SC24B0001', table: 'Time,UTC,PV\r\n12:00,10:00,300\r\n' },
  ]
  expect(joinTables(tables, 'System', 'en')).toBe(
    [
      '\ufeffSystem,Time,UTC,PV',
      '"All, together",12:00,10:00,700',
      '"All, together",12:15,10:15,',
      'SC24B0001,12:00,10:00,300',
      '',
    ].join('\r\n'),
  )
})

it('separates with semicolons where the decimal sign is a comma', () => {
  const tables = [{ name: 'Alle, zusammen', table: 'Zeit;UTC;SOC\r\n12:00;10:00;55,5\r\n' }]
  expect(joinTables(tables, 'Anlage', 'de')).toBe(
    ['\ufeffAnlage;Zeit;UTC;SOC', 'Alle, zusammen;12:00;10:00;55,5', ''].join('\r\n'),
  )
})
