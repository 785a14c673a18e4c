import { expect, it } from 'vitest'
import { csvCell, csvNumber, csvOf } from './csv'

it.each([
  ['Müller', 'Müller'],
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-5', "'-5"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['Süd, Haus 3', '"Süd, Haus 3"'],
  ['der "Neue"', '"der ""Neue"""'],
  ['=A1,"x"', '"\'=A1,""x"""'],
  ['a;b', 'a;b'],
  ["x;=cmd|' /C calc'!A0", "x;'=cmd|' /C calc'!A0"],
  ['x,"=1"', '"x,""\'=1"""'],
  ['\t=1', "'\t'=1"],
  ['', ''],
])('the cell %j is written %j', (text, written) => {
  expect(csvCell(text, 'en')).toBe(written)
})

it.each(['de', 'pl', 'fr', 'hr'] as const)(
  'in %s a semicolon separates, so a comma needs no quotes',
  (locale) => {
    expect(csvCell('Süd, Haus 3', locale)).toBe('Süd, Haus 3')
    expect(csvCell('a;b', locale)).toBe('"a;b"')
    expect(csvNumber(55.5, locale)).toBe('55,5')
  },
)

it('a table begins with the mark of its encoding, and every row ends', () => {
  const rows = [
    ['a', 'b'],
    ['1', ''],
  ]
  expect(csvOf(rows, 'en')).toBe('\ufeffa,b\r\n1,\r\n')
  expect(csvOf(rows, 'de')).toBe('\ufeffa;b\r\n1;\r\n')
  expect(csvNumber(55.5, 'en')).toBe('55.5')
})
