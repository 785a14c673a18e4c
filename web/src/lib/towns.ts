/** The towns of our countries, from lists that are part of the app. */
import { queryOptions } from '@tanstack/react-query'
import { plainLetters } from './plain-letters.ts'

/** Name, latitude and longitude. */
export type Town = readonly [name: string, latitude: number, longitude: number]

/** The maximum number of suggestions. */
const MAX_SUGGESTIONS = 12

/** The name of the file with a town. */
export const initialOf = (typed: string) => plainLetters(typed).match(/[a-z]/)?.[0]

/** All towns with the input's first letter. */
export const townsQuery = (typed: string) => {
  const letter = initialOf(typed)
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

/** Towns that begin with the input, ignoring accents. */
export function townsLike(typed: string, towns: readonly Town[]): Town[] {
  const start = plainLetters(typed.trim())
  return towns.filter(([name]) => plainLetters(name).startsWith(start)).slice(0, MAX_SUGGESTIONS)
}

/** The town with exactly this name. */
export const townNamed = (typed: string, towns: readonly Town[]): Town | undefined =>
  towns.find(([name]) => name === typed.trim())
