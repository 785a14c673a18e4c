/** Energies of a day, a month or a year, and their balance. In Wh, as magnitudes; null is not measured. */
import type { components } from './api/schema'

export type EnergyRow = components['schemas']['EnergyRow']
export type EnergyChart = components['schemas']['EnergyChart']

export type Energies = {
  pv: number | null
  import: number | null
  feedIn: number | null
  discharge: number | null
  charge: number | null
}

type Coded = {
  m2?: number | null
  m2N?: number | null
  m4?: number | null
  m5?: number | null
  m5N?: number | null
}

/** Translates the API's codes; those with an N are negative numbers. */
export const energiesOf = ({ m2, m2N, m4, m5, m5N }: Coded): Energies => ({
  pv: magnitude(m4),
  import: magnitude(m2),
  feedIn: magnitude(m2N),
  discharge: magnitude(m5),
  charge: magnitude(m5N),
})

export const totalsOf = (chart: EnergyChart): Energies =>
  energiesOf({
    m2: chart.total_m2,
    m2N: chart.total_m2N,
    m4: chart.total_m4,
    m5: chart.total_m5,
    m5N: chart.total_m5N,
  })

const magnitude = (wattHours: number | null | undefined) =>
  typeof wattHours === 'number' ? Math.abs(wattHours) : null

/** The uses of the sun's energy and the sources of consumption. Both sums are exact. */
export type Balance = {
  produced: number
  directlyUsed: number
  stored: number
  fedIn: number
  consumed: number
  fromSun: number
  fromBattery: number
  fromGrid: number
}

/** Unknown if one of the five values is missing. */
export function balanceOf(energies: Energies): Balance | null {
  const { pv, import: imported, feedIn, discharge, charge } = energies
  if (pv === null || imported === null || feedIn === null || discharge === null || charge === null)
    return null
  const consumed = Math.max(0, pv + imported + discharge - feedIn - charge)
  // Feed-in and charge beyond the sun's energy came from the battery or the grid.
  const fedIn = Math.min(feedIn, pv)
  const stored = Math.min(charge, pv - fedIn)
  const directlyUsed = pv - fedIn - stored
  const fromSun = Math.min(directlyUsed, consumed)
  const fromBattery = Math.min(discharge, consumed - fromSun)
  return {
    produced: pv,
    directlyUsed,
    stored,
    fedIn,
    consumed,
    fromSun,
    fromBattery,
    fromGrid: consumed - fromSun - fromBattery,
  }
}

/** The share of consumption that was not bought, in percent; null without consumption. */
export function selfSufficiencyOf({ import: imported }: Energies, balance: Balance | null): number | null {
  if (!balance || balance.consumed === 0 || imported === null) return null
  return (1 - Math.min(1, imported / balance.consumed)) * 100
}

/** The share of production that was not fed in, in percent; null without production. */
export function selfConsumptionOf(balance: Balance | null): number | null {
  if (!balance || balance.produced === 0) return null
  return (1 - balance.fedIn / balance.produced) * 100
}

/** The house's consumption. */
export const consumptionOf = (energies: Energies) => balanceOf(energies)?.consumed ?? null
