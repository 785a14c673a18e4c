import { expect, test } from 'vitest'
import { type ListedTown, townsByLetter } from './town-list.ts'

const town = (
  name: string,
  country: string,
  admin1 = '01',
  lat = '50.12345',
  lng = '9.98765',
): ListedTown => ({
  name,
  country,
  admin1,
  lat,
  lng,
})
const REGIONS = new Map([
  ['DE.01', 'Baden-Wurttemberg'],
  ['DE.05', 'Hesse'],
])
const namesOf = (list: readonly ListedTown[], letter: string) =>
  townsByLetter(list, REGIONS, ['DE', 'CH', 'NL'])
    .get(letter)
    ?.map(([name]) => name)

test('a town is in the file of its first letter, with coordinates to about a kilometre', () => {
  const files = townsByLetter([town('Łuków', 'PL'), town("'s-Graveland", 'NL')], REGIONS, ['PL', 'NL'])
  expect([...files]).toEqual([
    ['s', [["'s-Graveland", 50.12, 9.99]]],
    ['l', [['Łuków', 50.12, 9.99]]],
  ])
})

test('towns of other countries are left out, and big ones have their local name', () => {
  expect(namesOf([town('Munich', 'DE', '02'), town('Munster', 'IE')], 'm')).toEqual(['München'])
})

test('towns of the same name are distinguished by region, and left out if that does not suffice', () => {
  const same = [
    town('Neustadt', 'DE', '05'),
    town('Neustadt', 'DE', '01'),
    town('Neuhaus', 'DE', '01', '47.9'),
    town('Neuhaus', 'DE', '01', '48.9'),
    town('Neustadt', 'CH', '99'),
    town('Neuss', 'DE'),
  ]
  expect(namesOf(same, 'n')).toEqual([
    'Neuss',
    'Neustadt, Baden-Württemberg',
    'Neustadt, CH',
    'Neustadt, Hessen',
  ])
})
