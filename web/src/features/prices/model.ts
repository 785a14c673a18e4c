/** What a provider's prices come to, in words: until when they are known, who published them, and what is wrong. */
import type { components } from '@/lib/api/schema'
import type { SiteDay } from '@/lib/site-day'
import { plusDays, siteDayOf } from '@/lib/site-day'
import { readTime } from '@/lib/validation/time'

export type SystemPrices = components['schemas']['SystemPrices']

/** Why a provider gave no answer; the last one is for a code that only a newer server knows. */
export const TROUBLES = [
  'unreachable',
  'timed_out',
  'rate_limited',
  'token_refused',
  'no_contract',
  'failed',
  'rejected',
  'unreadable',
  'empty',
  'currency',
] as const
export type Trouble = (typeof TROUBLES)[number]

export const troubleOf = ({ error }: Pick<SystemPrices, 'error'>): Trouble | null =>
  error === null ? null : (TROUBLES.find((code) => code === error) ?? 'failed')

/** What its owner has to put right; everything else rights itself. */
export const isForOwner = (trouble: Trouble) =>
  trouble === 'token_refused' || trouble === 'no_contract' || trouble === 'currency'

const TYPED_IN = ['none', 'fixed', 'time_of_use']
export const isService = ({ provider }: Pick<SystemPrices, 'provider'>) => !TYPED_IN.includes(provider)

/** It was set a moment ago, and nothing has come of it yet. */
export const isBeingAsked = (prices: SystemPrices) =>
  isService(prices) && prices.success_at === null && prices.error === null

/** Another service whose prices fill the gaps of the chosen one. */
export const standIn = ({ source, provider }: SystemPrices): string | null =>
  source.find((name) => name !== null && name !== provider) ?? null

export type Quarter = { at: number; price: number }

/** The quarter-hours from now on whose price is known. */
export function ahead({ time, import_price, now }: SystemPrices): Quarter[] {
  const quarter = 900_000
  return time.flatMap((at, place) => {
    const price = import_price[place]
    return at + quarter > now && price !== null && price !== undefined ? [{ at, price }] : []
  })
}

export function extremes(quarters: readonly Quarter[]): { low: Quarter; high: Quarter } | null {
  const [first, ...more] = quarters
  if (!first) return null
  const pick = (better: (one: Quarter, other: Quarter) => boolean) =>
    more.reduce((best, one) => (better(one, best) ? one : best), first)
  return {
    low: pick((one, best) => one.price < best.price),
    high: pick((one, best) => one.price > best.price),
  }
}

export type Until = { day: 'today' | 'tomorrow'; midnight: boolean }

/** A midnight belongs to the day that it ends. */
export function untilOf(ms: number, { now, time_zone }: SystemPrices): Until {
  const day = (at: number): SiteDay => siteDayOf(at, time_zone)
  const midnight = day(ms) !== day(ms - 1)
  const last = day(ms - 1)
  return { day: last >= plusDays(day(now), 1) ? 'tomorrow' : 'today', midnight }
}

export type Step = { id: number; days: 'workdays' | 'weekend'; start: string; price: string }

/** As the API reads it. */
export const stepsText = (steps: readonly Step[]) =>
  steps.map(({ days, start, price }) => `${days}/${readTime(start)}/${price.trim()}`).join(';')
