/**
 * Measures the fleet table with thousands of systems and writes the numbers; bench/src/electrician.rs has the
 * server, its batteries and the limits.
 */
import { writeFile } from 'node:fs/promises'
import { type Page, test } from '@playwright/test'
import { text } from './harness/texts.ts'

const ROUNDS = 5
/** Rows are identified by their links. */
const ROW = 'tbody a[href^="/electrician-dashboard/"]'
const { FLEET_URL = '', FLEET_EMAIL = '', FLEET_PASSWORD = '', BENCH_RESULTS } = process.env

test('thousands of systems are opened, searched, filtered and scrolled', async ({ page }) => {
  await logIn(page)
  await watchForRows(page)
  const opened: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) opened.push(await open(page))
  const searched: number[] = []
  for (const typed of ['BE0004', '00431', '', '0012', '', '00299', '0033', '', '0444', ''])
    searched.push(await search(page, typed))
  const filtered: number[] = []
  for (let round = 0; round < 4 * ROUNDS; round += 1) {
    const { took, rows } = await filter(page)
    // An empty result is fast.
    if (rows > 0) filtered.push(took)
  }
  const measured = {
    first_rows_ms: median(opened),
    search_ms: median(searched),
    search_worst_ms: Math.max(...searched),
    filter_ms: median(filtered),
    filter_worst_ms: Math.max(...filtered),
    gaps: await gaps(page),
  }
  if (BENCH_RESULTS) await writeFile(BENCH_RESULTS, JSON.stringify(measured))
})

async function logIn(page: Page) {
  const form = new URLSearchParams({ email: FLEET_EMAIL, password: FLEET_PASSWORD, electrician: 'true' })
  const answer = await fetch(`${FLEET_URL}/api/auth/token/`, { method: 'POST', body: form })
  const tokens = (await answer.json()) as Record<'access' | 'refresh' | 'role', string>
  await page.goto(`${FLEET_URL}/healthz`)
  await page.evaluate(({ access, refresh, role }) => {
    localStorage.setItem('refresh_token', refresh)
    localStorage.setItem('role', role)
    localStorage.setItem('access_token', access)
  }, tokens)
}

/** From navigation until the first rows exist, in milliseconds, checked in every frame. */
async function open(page: Page) {
  // Unmounting the rows of the last round is not part of the measurement.
  await page.goto(`${FLEET_URL}/healthz`)
  await page.goto(`${FLEET_URL}/electrician-dashboard`)
  const seen = await page.waitForFunction(() => (globalThis as unknown as { firstRows?: number }).firstRows)
  return (await seen.jsonValue()) ?? Number.NaN
}

const watchForRows = (page: Page) =>
  page.addInitScript((row) => {
    const look = () => {
      if (document.querySelector(row)) Object.assign(globalThis, { firstRows: performance.now() })
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  }, ROW)

/** From the key press until matching rows are drawn. */
const search = (page: Page, typed: string) =>
  page.evaluate(
    async ({ typed, row, label }) => {
      const field = document.querySelector<HTMLInputElement>(
        `input[aria-label="${label}"], input[type=search]`,
      )
      if (!field) throw new Error('no search field')
      const links = () => [...document.querySelectorAll<HTMLAnchorElement>(row)]
      const before = links()
        .map((link) => link.href)
        .join()
      const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
      const begun = performance.now()
      write?.call(field, typed)
      field.dispatchEvent(new Event('input', { bubbles: true }))
      const fits = () => {
        const now = links()
        return (
          now.length > 0 &&
          now.map((link) => link.href).join() !== before &&
          now.every((link) => link.href.includes(typed))
        )
      }
      while (!fits()) {
        if (performance.now() - begun > 10_000) throw new Error(`no rows for ${typed}`)
        await new Promise(requestAnimationFrame)
      }
      return performance.now() - begun
    },
    { typed, row: ROW, label: text('fleet.search') },
  )

/**
 * From the click on the first status until it is pressed and its rows are drawn; and their number on screen.
 */
const filter = (page: Page) =>
  page.evaluate(async (row) => {
    const counts = [...document.querySelectorAll<HTMLButtonElement>('button[aria-pressed]')]
    const other = counts.find((one) => one.getAttribute('aria-pressed') === 'false' && !one.disabled)
    if (!other) throw new Error('no count to press')
    const begun = performance.now()
    other.click()
    while (other.getAttribute('aria-pressed') !== 'true') {
      if (performance.now() - begun > 10_000) throw new Error('the count is not pressed')
      await new Promise(requestAnimationFrame)
    }
    await new Promise(requestAnimationFrame)
    return { took: performance.now() - begun, rows: document.querySelectorAll(row).length }
  }, ROW)

/** Scrolls through the whole table, one screen per frame, and counts frames with missing rows. */
async function gaps(page: Page) {
  await page.goto(`${FLEET_URL}/electrician-dashboard`)
  await page.locator(ROW).first().waitFor()
  return page.evaluate(async () => {
    const table = document.querySelector('table')
    const box = table?.parentElement
    const head = table?.querySelector('thead')?.getBoundingClientRect().height ?? 0
    if (!box) throw new Error('no table')
    let without = 0
    const { top, left, height } = box.getBoundingClientRect()
    while (box.scrollTop + box.clientHeight < box.scrollHeight - 1) {
      box.scrollTop += 300
      await new Promise(requestAnimationFrame)
      await new Promise(requestAnimationFrame)
      const places = [0.1, 0.5, 0.9].map((share) => top + head + (height - head) * share)
      const covered = places.every((y) =>
        document.elementFromPoint(left + 60, y)?.closest('tr[aria-rowindex]'),
      )
      if (!covered) without += 1
    }
    return without
  })
}

/** The median of several rounds, which ignores outliers. */
function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
