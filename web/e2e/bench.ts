/** Measures the app in a browser and writes the numbers; bench/src/browser.rs has the limits. */
import { writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import type { Browser, Response } from '@playwright/test'
import { ONE } from './harness/chart.ts'
import { fullDay, SERIES_DRAWN } from './harness/full-day.ts'
import type { Server } from './harness/server.ts'
import { daysAgo } from './harness/site-days.ts'
import { beLoggedIn, button, heading, settled } from './harness/steps.ts'
import { test } from './harness/test.ts'
import { text } from './harness/texts.ts'
import { drawTimes, isQuiet, observe, recordDraws } from './harness/timings.ts'

// Includes one complete day.
test.use({ history: 2 })

const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }
const ROUNDS = 5
const DRAWS = 15
const POINTS = 2_880
const SLOWER_CPU = 4

const measured: Record<string, number> = {}

test.afterAll(async () => {
  const file = process.env.BENCH_RESULTS
  if (file) await writeFile(file, JSON.stringify(measured))
})

test('a day of 2,880 points × 8 series is drawn', async ({ page, server }) => {
  await beLoggedIn(page, server, ONE)
  const day = daysAgo(1)
  const graph = await fullDay(page, day)
  if (graph.time.length < POINTS) throw new Error(`${day} has only ${graph.time.length} samples`)
  await page.route('**/api/auth/graph/**', (route) => route.fulfill({ json: graph }))
  await recordDraws(page)
  await page.goto(`/charts?date=${day}&resolution=minute&series=${SERIES_DRAWN}`)
  await settled(page)
  for (let draw = 0; draw < DRAWS; draw += 1) {
    await button(page, text('chart.as_table')).click()
    await button(page, text('chart.as_chart')).click()
    await page.getByRole('slider').waitFor()
  }
  const [first = Number.NaN, ...times] = await drawTimes(page)
  if (times.length < DRAWS) throw new Error(`drawn ${times.length} times, not ${DRAWS}`)
  measured.draw_first_ms = first
  measured.draw_ms = median(times)
})

const SCREENS = ['login', 'dashboard', 'charts'] as const

for (const screen of SCREENS)
  test(`the ${screen} page is opened on a slow and on a fast computer`, async ({ browser, server }) => {
    const slow: Opened[] = []
    for (let round = 0; round < ROUNDS; round += 1)
      slow.push(await openOnce(browser, server, screen, { size: PHONE, slower: SLOWER_CPU }))
    const fast = [await openOnce(browser, server, screen, { size: DESK, slower: 1 })]
    measured[`${screen}_first_paint_ms`] = median(slow.map(({ firstPaint }) => firstPaint))
    measured[`${screen}_last_long_task_ms`] = median(slow.map(({ lastLongTask }) => lastLongTask))
    measured[`${screen}_js_kib`] = Math.max(...fast.map(({ scriptBytes }) => scriptBytes)) / 1_024
    measured[`${screen}_layout_shift`] = Math.max(...[...slow, ...fast].map(({ layoutShift }) => layoutShift))
  })

type Opened = { firstPaint: number; lastLongTask: number; layoutShift: number; scriptBytes: number }

/** A first visit without caches. */
async function openOnce(
  browser: Browser,
  server: Server,
  screen: (typeof SCREENS)[number],
  { size, slower }: { size: typeof DESK; slower: number },
): Promise<Opened> {
  const context = await browser.newContext({ viewport: size, baseURL: server.url, serviceWorkers: 'block' })
  const page = await context.newPage()
  if (screen !== 'login') await beLoggedIn(page, server, ONE)
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
  const scripts: Promise<number>[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(zippedBytes(response))
  })
  await observe(page)
  await page.goto(`/${screen}`)
  await heading(page).waitFor()
  await settled(page)
  const timing = await isQuiet(page)
  const bytes = await Promise.all(scripts)
  await context.close()
  return { ...timing, scriptBytes: bytes.reduce((sum, one) => sum + one, 0) }
}

const zippedBytes = async (response: Response) => gzipSync(await response.body(), { level: 9 }).length

/** The median of several rounds, which ignores outliers. */
function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
