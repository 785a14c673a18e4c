/** The towns of our countries, from a list that comes with the app. */
import { queryOptions } from '@tanstack/react-query'
import { plainLetters } from './plain-letters.ts'

/** Name, latitude and longitude. */
export type Town = readonly [name: string, latitude: number, longitude: number]

/** So many at most are offered for what is typed. */
const MOST = 12

/** The file that a town is in. */
export const letterOf = (typed: string) => plainLetters(typed).match(/[a-z]/)?.[0]

/** All towns that begin with the letter of what is typed; for the offer it may be missing. */
export const townsQuery = (typed: string) => {
  const letter = letterOf(typed)
  return queryOptions({
    queryKey: ['towns', letter],
    queryFn: async (): Promise<Town[]> => {
      const answer = await fetch(`/towns/${letter}.json`)
      if (!answer.ok) throw new Error(`/towns/${letter}.json: ${answer.status}`)
      return (await answer.json()) as Town[]
    },
    enabled: letter !== undefined && typed.trim().length > 1,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** Those that begin with what is typed, without caring for accents. */
export function townsLike(typed: string, towns: readonly Town[]): Town[] {
  const start = plainLetters(typed.trim())
  return towns.filter(([name]) => plainLetters(name).startsWith(start)).slice(0, MOST)
}

/** The town that is typed in full. */
export const townNamed = (typed: string, towns: readonly Town[]): Town | undefined =>
  towns.find(([name]) => name === typed.trim())
