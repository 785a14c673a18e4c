/**
 * The charge plan of a simulated battery with prices typed in by hand: reasons, charge target, turning it
 * off.
 */
import type { Page } from '@playwright/test'
import { nextAction } from '../src/features/plan/model.ts'
import type { Forecast } from '../src/lib/data/forecast.ts'
import type { Plan } from '../src/lib/data/plan.ts'
import { DESK, expectGoodEverywhere, NARROW, PHONE } from './harness/axe.ts'
import { ONE, THREE } from './harness/owners.ts'
import { open } from './harness/screens.ts'
import { type Account, PASSWORD, type Server } from './harness/server.ts'
import { beLoggedIn, button, heading, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

// Two dark days and a bright one after them. The history provides the usual consumption.
test.use({ history: 40, startsAt: '2026-12-25T18:00', movesClock: 'hours' })
test.describe.configure({ mode: 'serial', timeout: 180_000 })

const SN = 'SC24A0001'
const SOON = { timeout: 120_000, intervals: [2_000] }

const importField = (page: Page) => page.getByLabel(text('money.tariff.import', { unit: 'ct/kWh' }))
const feedInField = (page: Page) => page.getByLabel(text('money.tariff.feed_in', { unit: 'ct/kWh' }))
const card = (page: Page) => page.getByRole('region', { name: text('plan.title'), exact: true })
const turn = (page: Page) => page.getByRole('switch', { name: text('plan.switch') })
const socField = (page: Page) => page.getByLabel(text('plan.wish.soc'))
const byField = (page: Page) => page.getByLabel(text('plan.wish.by'))

/** The expensive days begin late enough to buy before them. */
const EXPENSIVE_FROM = '2026-12-26'

/** Fills in the price form of the settings. */
async function enterPrice(page: Page, price: string, from: string | null) {
  await importField(page).fill(price)
  await feedInField(page).fill('7,94')
  const since = page.getByLabel(text('money.tariff.since'), { exact: true })
  await since.selectOption(from === null ? 'beginning' : 'day')
  if (from !== null) await page.getByLabel(text('money.tariff.day')).fill(from)
  await button(page, text('money.tariff.save')).click()
  await expect(page.getByText(text('money.tariff.saved')).first()).toBeVisible()
}

/** The prices of a contract that does not change by the hour. */
async function chooseFixedPrices(server: Server) {
  const { access } = await server.logIn(ONE)
  const { version } = await server.get<{ version: number }>(`/api/auth/settings/?sn=${SN}`, ONE)
  const fields = { version: String(version), password: PASSWORD, provider: 'fixed' }
  await server.post(`/api/auth/settings/?sn=${SN}`, fields, 200, { Authorization: `Bearer ${access}` })
}

/** Polls a path with one login. */
async function makePoll<T>(server: Server, account: Account, path: string): Promise<() => Promise<T>> {
  const { access } = await server.logIn(account)
  const headers = { Authorization: `Bearer ${access}` }
  return async () => (await (await fetch(server.url + path, { headers })).json()) as T
}

/** Waits for a plan that meets the condition; the server plans every ten seconds. */
async function waitForPlan(server: Server, holds: (plan: Plan) => boolean): Promise<Plan> {
  let plan: Plan | undefined
  const ask = await makePoll<Plan>(server, ONE, `/api/auth/plan/?sn=${SN}`)
  await expect(async () => {
    plan = await ask()
    expect(holds(plan)).toBe(true)
  }).toPass(SOON)
  return plan as Plan
}

test('cheap now and expensive later: the plan buys, and says why', async ({ page, server }) => {
  await beLoggedIn(page, server, ONE)
  await page.goto('/settings?part=prices')
  await enterPrice(page, '10', null)
  await enterPrice(page, '60', EXPENSIVE_FROM)
  await chooseFixedPrices(server)

  await test.step('it is turned on, and says what it waits for', async () => {
    await page.goto(`/plan?sn=${SN}`)
    await expect(heading(page)).toHaveText(text('plan.title'))
    await expect(page.getByRole('heading', { name: text('plan.off') })).toBeVisible()
    await turn(page).click()
    await expect(page.getByText(text('plan.turned_on'))).toBeVisible()
    await expect(turn(page)).toBeChecked()
    await expect(page.getByRole('heading', { name: text('plan.off') })).toBeHidden()
  })

  const plan = await waitForPlan(server, ({ blocks }) => blocks.some(({ mode }) => mode === 'charge'))
  const bought = plan.blocks.find(({ mode }) => mode === 'charge')
  expect(bought?.reason).toMatch(/^Lädt .*\skWh von .* für 10\sct/)

  await test.step('the page shows it as a sentence, a picture and a table', async () => {
    await open(page, `/plan?sn=${SN}`)
    await expect(page.getByText(/für 10\sct/).first()).toBeVisible()
    const picture = page.getByRole('img', { name: text('plan.picture.title') })
    await expect(picture).toBeVisible()
    // The values at the mouse are shown as text above the picture.
    const reading = page.locator('figure [data-reading]')
    await expect(reading).toHaveText(text('plan.picture.hint'))
    await picture.hover({ position: { x: 60, y: 60 } })
    await expect(reading).toHaveText(/\d\d:\d\d · 10,0\sct\/kWh · Ladestand \d+\s%/)
    await page.mouse.move(0, 0)
    await expect(reading).toHaveText(text('plan.picture.hint'))
    await button(page, text('plan.table')).press('Enter')
    const table = page.getByRole('table', { name: text('plan.picture.title') })
    await expect(table.getByRole('row').nth(30)).toBeAttached()
    await expect(table.getByText(text('plan.mode.charge')).first()).toBeAttached()
  })

  await test.step('it is accessible in both themes, on phone and desk', async () => {
    await expectGoodEverywhere(page, [DESK, PHONE, NARROW])
    await page.setViewportSize(DESK)
  })

  await test.step('the dashboard tells of it and leads to it', async () => {
    await open(page, '/dashboard')
    // The current block depends on the hour: the card shows the plan's next block, whichever it is.
    await expect(async () => {
      const { blocks } = await waitForPlan(server, (made) => nextAction(made.blocks, server.now) !== null)
      await expect(card(page)).toContainText(nextAction(blocks, server.now)?.reason ?? '', { timeout: 1_000 })
    }).toPass(SOON)
    await card(page)
      .getByRole('link', { name: text('plan.show') })
      .click()
    await page.waitForURL('**/plan?sn=*')
    await expect(heading(page)).toHaveText(text('plan.title'))
  })
})

test('a charge target is saved, and an invalid one is rejected at its field', async ({ page, server }) => {
  await beLoggedIn(page, server, ONE)
  await open(page, `/plan?sn=${SN}`)
  await socField(page).fill('170')
  await byField(page).fill('18:00')
  await button(page, text('plan.wish.save')).click()
  await expect(socField(page)).toBeFocused()
  await expect(socField(page)).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByText(text('field.soc_range'))).toBeVisible()

  await socField(page).fill('70')
  await button(page, text('plan.wish.save')).click()
  await expect(page.getByText(text('plan.wish.standing'))).toBeVisible()
  await page.reload()
  await expect(page.getByText(/^70\s% bis .*18:00$/)).toBeVisible()
  await expect(socField(page)).toHaveValue('70')
  await expect(byField(page)).toHaveValue('18:00')

  await button(page, text('plan.wish.drop')).click()
  await expect(page.getByText(text('plan.wish.standing'))).toBeHidden()
  await page.reload()
  await settled(page)
  await expect(socField(page)).toHaveValue('')
})

test('forecasts reach into tomorrow', async ({ page, server }) => {
  await beLoggedIn(page, server, ONE)
  await open(page, `/charts?sn=${SN}`)
  // The browser's clock is not at Christmas until the server has sent its time.
  await expect(page.getByText('25. Dezember 2026')).toBeVisible()
  await button(page, text('chart.forth')).click()
  await page.waitForURL('**date=*')
  await settled(page)
  await expect(page.getByText(text('chart.no_forecast'))).toBeHidden()
  await expect(page.getByRole('button', { name: text('series.energy_forecast') })).toHaveAttribute(
    'aria-pressed',
    'true',
  )
})

test('the bad-weather notice comes with two dark days ahead, and goes when the second is a bright one', async ({
  page,
  server,
}) => {
  await beLoggedIn(page, server, THREE)
  await page.goto('/dashboard')
  const notice = page.getByRole('status').filter({ hasText: text('notice.weather') })
  await expect(notice).toContainText(text('notice.weather.text'), SOON)
  // Around noon the second day ahead includes the bright one. Forecasts are made every quarter-hour, and two
  // have to agree.
  await server.passMinutes(19 * 60)
  const noon = server.now
  const ask = await makePoll<Forecast>(server, THREE, '/api/auth/forecast/?sn=SC24B0001')
  await expect.poll(async () => (await ask()).issued, SOON).toBeGreaterThanOrEqual(noon)
  await server.passMinutes(15)
  // Polled every half minute.
  await expect(notice).toBeHidden(SOON)
})

test('turned off, the plan is gone and stays off', async ({ page, server }) => {
  await beLoggedIn(page, server, ONE)
  await open(page, `/plan?sn=${SN}`)
  await turn(page).click()
  await expect(turn(page)).not.toBeChecked()
  await expect(page.getByRole('heading', { name: text('plan.off') })).toBeVisible()
  await expect(page.getByText(text('plan.turned_off'))).toBeVisible()
  await page.reload()
  await expect(turn(page)).not.toBeChecked()
  await expect(page.getByRole('img', { name: text('plan.picture.title') })).toBeHidden()
  await open(page, '/dashboard')
  await expect(card(page)).toContainText(text('plan.off.short'))
})
