import { expect, test } from 'vitest'
import { type Town, townNamed, townsLike } from './towns'

const TOWNS: Town[] = [
  ['Mühlhausen', 51.21, 10.45],
  ['Mülheim', 51.43, 6.88],
  ['Müllheim, Baden-Württemberg', 47.8, 7.63],
]

test('towns are offered that begin with what is typed, with or without accents', () => {
  expect(townsLike(' mulh', TOWNS)).toEqual([['Mülheim', 51.43, 6.88]])
  expect(townsLike('mü', TOWNS)).toHaveLength(3)
  expect(townsLike('heim', TOWNS)).toEqual([])
})

test('no more are offered than somebody reads', () => {
  const many = Array.from({ length: 100 }, (_, i): Town => [`Neustadt ${i}`, 50, 10])
  expect(townsLike('neustadt', many)).toHaveLength(12)
})

test('a town is meant when all of its name is there', () => {
  expect(townNamed('Mülheim ', TOWNS)?.[1]).toBe(51.43)
  expect(townNamed('Müllheim', TOWNS)).toBeUndefined()
})
