import { expect, it } from 'vitest'
import { csvCell, csvOf } from './csv'

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
  ['', ''],
])('the cell %j is written %j', (text, written) => {
  expect(csvCell(text)).toBe(written)
})

it('a table begins with the mark of its encoding, and every row ends', () => {
  expect(
    csvOf([
      ['a', 'b'],
      ['1', ''],
    ]),
  ).toBe('\ufeffa,b\r\n1,\r\n')
})
