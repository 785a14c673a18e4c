import { expect, test } from 'vitest'
import { type Town, townNamed, townsLike } from './towns'

const TOWNS: Town[] = [
  ['Mühlhausen', 51.21, 10.45],
  ['Mülheim', 51.43, 6.88],
  ['Müllheim, Baden-Württemberg', 47.8, 7.63],
]

test('towns are suggested that begin with the input, ignoring accents', () => {
  expect(townsLike(' mulh', TOWNS)).toEqual([['Mülheim', 51.43, 6.88]])
  expect(townsLike('mü', TOWNS)).toHaveLength(3)
  expect(townsLike('heim', TOWNS)).toEqual([])
})

test('the number of suggestions is limited', () => {
  const many = Array.from({ length: 100 }, (_, i): Town => [`Neustadt ${i}`, 50, 10])
  expect(townsLike('neustadt', many)).toHaveLength(12)
})

test('a town is found by its full name', () => {
  expect(townNamed('Mülheim ', TOWNS)?.[1]).toBe(51.43)
  expect(townNamed('Müllheim', TOWNS)).toBeUndefined()
})
