/** The owner's dashboard with the demo's running batteries. */
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import {
  energyQuantity,
  percentQuantity,
  powerQuantity,
  type Quantity,
  voltageQuantity,
} from '../src/lib/format.ts'
import {
  DESK,
  expectAccessible,
  expectGoodEverywhere,
  expectNoSidewaysScroll,
  NARROW,
  PHONE,
} from './harness/axe.ts'
import { numberOf, readTable } from './harness/chart.ts'
import { type Account, PASSWORD, Server } from './harness/server.ts'
import { daysAgo } from './harness/site-days.ts'
import { beLoggedIn, button, heading, seeAll, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { type MessageId, text } from './harness/texts.ts'

const owner = (email: string): Account => ({ email, password: PASSWORD, role: 'user' })
const ONE = owner('owner@example.com')
const THREE = owner('family@example.com')
const AWAY = owner('away@example.com')

type Entry = Record<'PV_power' | 'battery_power' | 'SOC' | 'grid_power' | 'grid_voltage', number>

/** The page's answer of `data/`, by serial number. */
async function liveAnswer(page: Page, act: () => Promise<unknown>): Promise<Record<string, Entry>> {
  const [answer] = await Promise.all([page.waitForResponse('**/api/auth/data/**'), act()])
  const { data } = (await answer.json()) as { data: Record<string, Entry>[] }
  return Object.assign({}, ...data)
}

/** Without the stream the cards stay at the last answer. */
const withoutStream = (page: Page) => page.route('**/api/auth/stream/**', (route) => route.abort())

/** Requests the server like the page. */
async function ask<T>(page: Page, address: string): Promise<T> {
  const answer = await page.evaluate(async (path) => {
    const headers = { Authorization: `Bearer ${localStorage.getItem('access_token')}` }
    return (await fetch(path, { headers })).json()
  }, address)
  return answer as T
}

const card = (page: Page, id: MessageId) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name: text(id), exact: true }) })

async function expectCard(page: Page, id: MessageId, { value, unit }: Quantity) {
  await expect(card(page, id).locator('p').first()).toHaveText(`${value}${unit}`)
}

async function expectCards(page: Page, entry: Entry) {
  await expectCard(page, 'card.pv_power', powerQuantity(entry.PV_power, 'de'))
  await expectCard(page, 'card.battery_power', powerQuantity(entry.battery_power, 'de'))
  await expectCard(page, 'card.soc', percentQuantity(entry.SOC, 'de'))
  await expectCard(page, 'card.grid_power', powerQuantity(entry.grid_power, 'de'))
  await expectCard(page, 'card.grid_voltage', voltageQuantity(entry.grid_voltage, 'de'))
}

async function openDashboard(page: Page, server: Server, account: Account) {
  await beLoggedIn(page, server, account)
  await page.goto('/dashboard')
  await card(page, 'card.pv_power').waitFor()
  await settled(page)
}

test('each card shows what the API says', async ({ page, server, pageErrors }) => {
  pageErrors.expect(/ERR_FAILED/)
  await withoutStream(page)
  await beLoggedIn(page, server, ONE)
  const live = await liveAnswer(page, () => page.goto('/dashboard'))
  const [entry] = Object.values(live)
  if (!entry) throw new Error('the demo’s battery said nothing')
  await expectCards(page, entry)

  const day = daysAgo(0)
  const [today] = await ask<Record<string, number>[]>(page, `/api/auth/energy_chart/?days=${day}_${day}`)
  const total = (code: string) => today?.[`total_${code}`] ?? Number.NaN
  const consumed = total('m4') + total('m2') + total('m5') + total('m2N') + total('m5N')
  const shown = await card(page, 'card.energy').locator('p').first().textContent()
  const expected = energyQuantity(consumed, 'de').value
  // A few seconds lie between both requests.
  expect(
    Math.abs(
      Number.parseFloat((shown ?? '').replace(',', '.')) - Number.parseFloat(expected.replace(',', '.')),
    ),
  ).toBeLessThan(0.15)
})

test('a new reading arrives by the stream within seconds', async ({ page, server }) => {
  await beLoggedIn(page, server, ONE)
  const stream = page.waitForRequest('**/api/auth/stream/**')
  await page.goto('/dashboard')
  expect((await stream).headers().authorization).toMatch(/^Bearer /)
  await expect(page.getByText(/^Live · \d\d:\d\d$/)).toBeVisible()
})

test('all systems are selected at first, and one of them can be', async ({ page, server, pageErrors }) => {
  pageErrors.expect(/ERR_FAILED/)
  await withoutStream(page)
  await beLoggedIn(page, server, THREE)
  const live = await liveAnswer(page, () => page.goto('/dashboard'))
  const serials = Object.keys(live).filter((sn) => sn !== '-1')
  expect(serials).toHaveLength(3)
  await expectCards(page, live['-1'] as Entry)

  const [first = ''] = serials
  await page.getByRole('button', { name: text('selector.all') }).click()
  await expect(page.getByRole('menuitemradio')).toHaveCount(4)
  await page.getByRole('menuitemradio', { name: first }).click()
  await expectCards(page, live[first] as Entry)
  await expect(page).toHaveURL(new RegExp(`sn=${first}`))
  const fresh = await liveAnswer(page, () => page.reload())
  await expectCards(page, fresh[first] as Entry)
})

test('a silent battery shows its last contact and no flows', async ({ page, server }) => {
  await openDashboard(page, server, AWAY)
  await expect(page.getByRole('heading', { name: text('sentence.offline') })).toBeVisible()
  await expect(page.getByText(/^Offline seit /)).toBeVisible()
  await expect(page.getByText(/^Live/)).toHaveCount(0)
  await expect(page.locator('.flow-dots')).toHaveCount(0)
})

/**
 * Waits until the server has taken the last sample of a battery that sends every second: one that is still on its way would count
 * as a contact of the time at which it comes.
 */
async function expectNothingNew(page: Page) {
  let last = ''
  let unchanged = 0
  const seconds = async () => {
    const { data } = await ask<{ data: Record<string, Entry>[] }>(page, '/api/auth/data/')
    const values = JSON.stringify(
      data.flatMap(Object.values).map((entry) => [entry.grid_power, entry.grid_voltage]),
    )
    unchanged = values === last ? unchanged + 1 : 0
    last = values
    return unchanged
  }
  await expect.poll(seconds, { intervals: [1_000] }).toBeGreaterThanOrEqual(3)
}

test('a battery that stops sending is never drawn as live for longer than 90 s', async ({ page }) => {
  // A server of its own: a battery outside the demo cannot follow a server whose clock other tests have
  // advanced.
  const server = await Server.start(0)
  const owner = await server.newOwner()
  const battery = server.connectBattery(owner)
  try {
    await beLoggedIn(page, server, owner)
    await page.goto(`${server.url}/dashboard`)
    await expect(page.getByText(/^Live · /)).toBeVisible()
    battery.fallSilent()
    await expectNothingNew(page)
    await server.passSeconds(80)
    await expect(page.getByText(/^Live · /)).toBeVisible()
    await server.passSeconds(11)
    await expect(page.getByRole('heading', { name: text('sentence.offline') })).toBeVisible()
    await expect(page.getByText(/^Live/)).toHaveCount(0)
    await expect(page.locator('.flow-dots')).toHaveCount(0)
    for (const id of ['card.pv_power', 'card.battery_power', 'card.soc', 'card.grid_power'] as const)
      await expect(card(page, id)).toContainText(/Stand /)
    battery.speakAgain()
    await expect(page.getByText(/^Live · /)).toBeVisible()
  } finally {
    await battery.unplug()
    await server.stop()
  }
})

test('values that are older than 90 s are never drawn as live', async ({ page, server, pageErrors }) => {
  pageErrors.expect(/ERR_FAILED/)
  await withoutStream(page)
  await page.clock.install({ time: Date.now() })
  await openDashboard(page, server, ONE)
  await expect(page.getByText(/^Live · /)).toBeVisible()
  await page.route('**/api/auth/data/**', (route) => route.abort())
  await page.clock.fastForward(100_000)
  await expect(page.getByRole('heading', { name: text('sentence.stale') })).toBeVisible()
  await expect(page.getByText(/^Live/)).toHaveCount(0)
  await expect(page.locator('.flow-dots')).toHaveCount(0)
  await expect(heading(page)).toHaveText(text('nav.dashboard'))
})

test('a series is added and removed, and "back" restores it', async ({ page, server }) => {
  await openDashboard(page, server, ONE)
  await seeAll(page)
  const chip = page.getByRole('button', { name: text('series.voltage') })
  await expect(chip).toHaveAttribute('aria-pressed', 'false')
  await chip.click()
  await expect(chip).toHaveAttribute('aria-pressed', 'true')
  await expect(chip).toContainText(/V$/)
  await expect(page).toHaveURL(/series=.*m7/)
  await page.goBack()
  await expect(chip).toHaveAttribute('aria-pressed', 'false')
  await page.goForward()
  await expect(chip).toHaveAttribute('aria-pressed', 'true')
  await chip.click()
  await expect(chip).toHaveAttribute('aria-pressed', 'false')
})

test('a link shows the same chart', async ({ page, server }) => {
  await beLoggedIn(page, server, ONE)
  await page.goto('/charts?range=Month&date=2026-06-18&series=m4&view=table')
  await expect(page.getByRole('radio', { name: text('chart.range.Month') })).toBeChecked()
  await expect(page.getByLabel(text('chart.date'))).toHaveValue('2026-06-18')
  await expect(page.getByRole('button', { name: text('series.pv_energy') })).toHaveAttribute(
    'aria-pressed',
    'true',
  )
  await expect(page.getByRole('button', { name: text('chart.as_chart') })).toBeVisible()
})

test('the CSV and the table have the numbers of the chart', async ({ page, server }) => {
  await openDashboard(page, server, ONE)
  await seeAll(page)
  const yesterday = daysAgo(1)
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().includes(`from_date=${yesterday}`)),
    button(page, text('chart.back')).click(),
  ])
  const { series } = (await answer.json()) as { series: Record<string, (number | null)[]> }
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'CSV').click()])
  const [, ...rows] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  expect(rows).toHaveLength(series.m6?.length ?? 0)
  const power = rows.map((row) => row.split(';')[2])
  expect(power.map((cell) => (cell === '' ? null : Number(cell)))).toEqual(series.m6)

  await button(page, text('chart.as_table')).click()
  const table = await readTable(page.locator('section[aria-labelledby=chart]'))
  expect(table.map(([, cell]) => numberOf(cell ?? ''))).toEqual(series.m6?.filter((value) => value !== null))
})

test('calendar, charts, plan and alarms are one press away from the dashboard', async ({ page, server }) => {
  await openDashboard(page, server, ONE)
  const shortcuts = page.getByRole('navigation', { name: text('nav.shortcuts') })
  for (const [to, name] of [
    ['calendar', 'calendar.title'],
    ['charts', 'charts.title'],
    ['plan', 'plan.title'],
    ['alarms', 'nav.alarms'],
  ] as const) {
    await shortcuts.getByRole('link', { name: text(name) }).click()
    await page.waitForURL(`**/${to}`)
    await expect(heading(page)).toHaveText(text(name))
    await page.goBack()
  }
  await expect(shortcuts.getByRole('link')).toHaveCount(4)
})

/** The maximum scroll height; it was 5,071 px once. */
const LONGEST_ON_A_PHONE = 4_100

test('on a phone the dashboard shows totals first, and bars and chart settings on demand', async ({
  page,
  server,
}) => {
  await page.setViewportSize(PHONE)
  await openDashboard(page, server, ONE)
  await seeAll(page)
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  expect(height).toBeLessThan(LONGEST_ON_A_PHONE)

  const energy = page.getByRole('region', { name: text('small.title'), exact: true })
  const bars = energy.locator('article svg').last()
  await expect(energy.getByRole('heading', { name: text('small.consumption') })).toBeVisible()
  await expect(energy.getByRole('heading', { name: text('small.grid') })).toBeHidden()
  await expect(bars).toBeHidden()
  await button(energy, text('small.show_bars')).click()
  await expect(energy.getByRole('heading', { name: text('small.grid') })).toBeVisible()
  await expect(bars).toBeVisible()

  const resolution = page.getByLabel(text('chart.resolution'))
  await expect(resolution).toBeHidden()
  await button(page, text('chart.options')).click()
  await expect(resolution).toBeVisible()
})

test('a small chart says in words what the mouse or a finger is at', async ({ page, server }) => {
  await openDashboard(page, server, ONE)
  await seeAll(page)
  const chart = page.getByRole('article').filter({
    has: page.getByRole('heading', { name: text('small.grid'), exact: true }),
  })
  const rows = chart.getByRole('table').locator('tbody tr')
  const reading = chart.locator('[data-reading]')
  await expect(reading).toHaveCount(0)
  const bars = chart.locator('svg')
  const { width = 0, height = 0 } = (await bars.boundingBox()) ?? {}
  // The last bar is today; the table beside it has the same values.
  await bars.hover({ position: { x: width - 4, y: height / 2 } })
  for (const cell of await rows.last().locator('th, td').allTextContents())
    await expect(reading).toContainText(cell)
  await page.mouse.move(0, 0)
  await expect(reading).toHaveCount(0)
})

test('small charts stand against the time before', async ({ page, server }) => {
  await openDashboard(page, server, ONE)
  await seeAll(page)
  const energy = page.getByRole('region', { name: text('small.title'), exact: true })
  const consumption = energy.getByRole('article').filter({
    has: page.getByRole('heading', { name: text('small.consumption'), exact: true }),
  })
  const before = energy.getByLabel(text('chart.before'), { exact: true })
  const shown = consumption.getByRole('list').getByText(text('small.before', { amount: '' }).slice(0, 5))
  await expect(shown).toHaveCount(0)
  await energy.getByText(text('small.period.day'), { exact: true }).click()
  await before.selectOption(text('chart.before.day'))
  await expect(shown).toHaveCount(3)
  await expect(shown.first()).toContainText('Wh')
  await expect(consumption.locator('svg rect[fill-opacity="0.3"]').first()).toBeAttached()
  // The system is two days old: of the week before it has nothing.
  await energy.getByText(text('small.period.week'), { exact: true }).click()
  await before.selectOption(text('chart.before.week'))
  await expect(shown.first()).toContainText('–')
  // All years have nothing before them.
  await energy.getByText(text('small.period.total'), { exact: true }).click()
  await expect(before).toHaveCount(0)
  await expect(shown).toHaveCount(0)
})

test('reduced motion stops the dots', async ({ page, server }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await openDashboard(page, server, ONE)
  const moving = await page
    .locator('.flow-dots')
    .evaluateAll((dots) => dots.filter((dot) => getComputedStyle(dot).animationName !== 'none').length)
  expect(moving).toBe(0)
})

for (const [name, account] of Object.entries({ one: ONE, three: THREE, away: AWAY })) {
  test(`the dashboard of ${name} is accessible in both themes, on phone and desk`, async ({
    page,
    server,
  }) => {
    await openDashboard(page, server, account)
    await seeAll(page)
    await expectGoodEverywhere(page, [DESK, PHONE, NARROW])
    // Collapsed at this width.
    await button(page, text('chart.options')).click()
    await button(page, text('chart.as_table')).click()
    await expect(button(page, text('chart.as_chart'))).toBeVisible()
    await settled(page)
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  })
}
