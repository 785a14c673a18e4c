/** A day with every sample of a battery in one chart: more than the API returns at once. */
import type { Page } from '@playwright/test'

/** Lines, areas and bars: every style of a chart. */
export const SERIES_DRAWN = 'm6,m8,m1,m0,m3,m7,m4,m2'

/** Column indices of the export. */
const UTC = 2
const [IMPORT, FEED_IN, PV, DISCHARGE, CHARGE, HOUSE, SOC, VOLTAGE] = [3, 4, 5, 6, 7, 8, 9, 10] as const
const [IMPORT_COUNTER, PV_COUNTER] = [20, 22] as const

export async function fullDay(page: Page, day: string) {
  const csv = await page.evaluate(async (path) => {
    const headers = {
      Authorization: `Bearer ${localStorage.getItem('access_token')}`,
      'Accept-Language': 'en',
    }
    return (await fetch(path, { headers })).text()
  }, `/api/auth/export/?from=${day}`)
  const [, ...lines] = csv.trimEnd().split('\r\n')
  const rows = lines.map((line) => line.split(','))
  const value = (row: string[], column: number) => Number(row[column])
  const between = (column: number) =>
    rows.map((row, place) => value(row, column) - value(rows[place - 1] ?? row, column))
  return {
    sn: rows[0]?.[0] ?? '',
    interval: 'Day',
    resolution: 'minute',
    method: 'mean',
    time_zone: 'Europe/Berlin',
    reporting: 1,
    systems: 1,
    time: rows.map((row) => Date.parse(row[UTC] ?? '')),
    series: {
      m0: rows.map((row) => value(row, IMPORT) - value(row, FEED_IN)),
      m1: rows.map((row) => value(row, DISCHARGE) - value(row, CHARGE)),
      m2: between(IMPORT_COUNTER),
      m3: rows.map((row) => value(row, SOC)),
      m4: between(PV_COUNTER),
      m6: rows.map((row) => value(row, PV)),
      m7: rows.map((row) => value(row, VOLTAGE)),
      m8: rows.map((row) => value(row, HOUSE)),
    },
  }
}
