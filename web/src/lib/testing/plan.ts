import type { Forecast } from '@/lib/data/forecast'
import type { Block, Plan, Step } from '@/lib/data/plan'

const QUARTER = 900_000
const HOUR = 4 * QUARTER

/** 2026-11-16 at 02:00 in Berlin. */
export const TWO = Date.UTC(2026, 10, 16, 1)

export const block = (special: Partial<Block> = {}): Block => ({
  start: TWO,
  end: TWO + 2 * HOUR,
  mode: 'charge',
  kw: 1.15,
  price: 24,
  soc: 62.4,
  reason: 'Lädt 2,3 kWh von 02:00 bis 04:00 für 24 ct statt 33 ct um 18:00: spart voraussichtlich 0,17 €.',
  ...special,
})

/** Four hours of quarters: two cheap hours with known prices, two expensive ones with forecast prices. */
export const steps = (from = TWO): Step[] =>
  Array.from({ length: 16 }, (_, place) => ({
    start: from + place * QUARTER,
    price: place < 8 ? 24 : 33,
    known: place < 8,
    soc: 40 + place * 2,
    low: 35 + place,
    high: 45 + place * 3,
  }))

/** A plan without steps, with overrides. */
export const planOf = (special: Partial<Plan> = {}): Plan => ({
  sn: 'A',
  on: false,
  issued: null,
  adopted: null,
  until: null,
  wish: null,
  blocks: [],
  steps: [],
  saved: null,
  currency: 'EUR',
  weather: { since: null, hits: 0, false_alarms: 0 },
  ...special,
})

export const noForecast: Forecast = { issued: null, load: [], pv: [], accuracy: null }
