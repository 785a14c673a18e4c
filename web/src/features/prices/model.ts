/** The state of a provider's prices: how far ahead they are known, who published them, and what failed. */
import type { components } from '@/lib/api/schema'
import type { SiteDay } from '@/lib/site-day'
import { plusDays, siteDayOf } from '@/lib/site-day'
import { readTime } from '@/lib/validation/time'

export type SystemPrices = components['schemas']['SystemPrices']

/** Why a provider gave no prices. The last one stands for codes of newer servers. */
export const SOURCE_ERRORS = [
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
export type SourceError = (typeof SOURCE_ERRORS)[number]

export const sourceErrorOf = ({ error }: Pick<SystemPrices, 'error'>): SourceError | null =>
  error === null ? null : (SOURCE_ERRORS.find((code) => code === error) ?? 'failed')

/** Only the owner can fix these; the portal retries the others by itself. */
export const needsOwner = (error: SourceError) =>
  error === 'token_refused' || error === 'no_contract' || error === 'currency'

const MANUAL_PROVIDERS = ['none', 'fixed', 'time_of_use']
export const isService = ({ provider }: Pick<SystemPrices, 'provider'>) =>
  !MANUAL_PROVIDERS.includes(provider)

/** The provider was set recently and has neither answered nor failed yet. */
export const isPending = (prices: SystemPrices) =>
  isService(prices) && prices.success_at === null && prices.error === null

/** Another source whose prices fill the gaps of the chosen provider. */
export const fallbackSource = ({ source, provider }: SystemPrices): string | null =>
  source.find((name) => name !== null && name !== provider) ?? null

export type Quarter = { at: number; price: number }

/** The quarters from now on whose price is known. */
export function upcomingPrices({ time, import_price, now }: SystemPrices): Quarter[] {
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

/** A midnight counts as the end of the day before. */
export function untilOf(ms: number, { now, time_zone }: SystemPrices): Until {
  const day = (at: number): SiteDay => siteDayOf(at, time_zone)
  const midnight = day(ms) !== day(ms - 1)
  const last = day(ms - 1)
  return { day: last >= plusDays(day(now), 1) ? 'tomorrow' : 'today', midnight }
}

export type Step = { id: number; days: 'workdays' | 'weekend'; start: string; price: string }

/** Serialised as the API expects it. */
export const stepsText = (steps: readonly Step[]) =>
  steps.map(({ days, start, price }) => `${days}/${readTime(start)}/${price.trim()}`).join(';')
