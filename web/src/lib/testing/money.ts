import { HttpResponse, http } from 'msw'
import type { Saving, SystemTariffs } from '@/lib/data/money'
import { type SiteDay, siteDayOf } from '../site-day'
import { server } from './server'

export const TODAY = siteDayOf(Date.now(), 'Europe/Berlin')

export const pricesOf = (sn: string): SystemTariffs => ({
  sn,
  currency: 'EUR',
  tariffs: [{ from: null, import_price: 32, feed_in_price: 8.1 }],
})

/** A day's cost in cents, with and without the battery. */
export const saving = (day: SiteDay, actual: number | null, without: number | null = null): Saving => ({
  day,
  cost: actual === null ? null : Math.max(0, actual) + 90,
  income: actual === null ? null : Math.max(0, -actual) + 90,
  actual,
  without_plan: null,
  without_battery: without,
  counted: actual !== null,
})

/** An energy row with all values. */
export const energyRow = (day: SiteDay) => ({
  de_time: day,
  m2: 500,
  m2N: -17_900,
  m4: 35_200,
  m5: 1_900,
  m5N: -12_100,
  unplaced: {},
})

type World = { tariffs: SystemTariffs[]; savings: Saving[]; rows?: ReturnType<typeof energyRow>[] }

/** A server with these prices and days. */
export function serveMoney({ tariffs, savings, rows = [] }: World) {
  const sum = (code: 'm2' | 'm2N' | 'm4' | 'm5' | 'm5N') =>
    rows.reduce<number | null>((total, row) => (total ?? 0) + row[code], null)
  server.use(
    http.get('*/api/auth/tariff/', () => HttpResponse.json(tariffs)),
    http.get('*/api/auth/savings/', () => HttpResponse.json(savings)),
    http.get('*/api/auth/energy_chart/', () =>
      HttpResponse.json([
        {
          sn: 'A',
          rows,
          total_m2: sum('m2'),
          total_m2N: sum('m2N'),
          total_m4: sum('m4'),
          total_m5: sum('m5'),
          total_m5N: sum('m5N'),
        },
      ]),
    ),
  )
}
