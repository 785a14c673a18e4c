/** The energy's cost: the dashboard card, and the price form there and in the settings. */
import type { Page } from '@playwright/test'
import { formatMoney, formatPeriod } from '../src/lib/format.ts'
import { DESK, expectGoodEverywhere, NARROW, PHONE } from './harness/axe.ts'
import { AWAY, answersTo, ONE, setPrices } from './harness/owners.ts'
import { open } from './harness/screens.ts'
import { daysAgo } from './harness/site-days.ts'
import { beLoggedIn, button } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

type Saving = Record<'cost' | 'income' | 'actual' | 'without_battery', number | null> & { day: string }

const today = () => daysAgo(0)
const card = (page: Page) => page.getByRole('region', { name: text('money.title') })

/** The card's section about today or the month. */
const figure = (page: Page, name: string) =>
  card(page)
    .locator('div', { has: page.getByRole('heading', { level: 3, name, exact: true }) })
    .last()
const month = () => formatPeriod(today(), 'Month', 'de')

const euros = (cents: number) => formatMoney(cents, 'EUR', 'de')
const outcome = (cents: number) =>
  `${euros(cents)}${text(cents < 0 ? 'money.outcome.income' : 'money.outcome.cost')}`

/** The price form. */
const prices = (page: Page) => page.getByRole('region', { name: text('money.tariff.title') })
const importField = (page: Page) => page.getByLabel(text('money.tariff.import', { unit: 'ct/kWh' }))
const feedInField = (page: Page) => page.getByLabel(text('money.tariff.feed_in', { unit: 'ct/kWh' }))

/** For one or several days; unknown amounts have no number. */
async function expectFigure(page: Page, name: string, days: Saving[]) {
  const known = days.filter(({ actual }) => actual !== null)
  const result = figure(page, name).locator('p').first()
  const parts = figure(page, name).locator('dd')
  if (known.length === 0) {
    await expect(result).toHaveText(`–${text('value.unknown')}`)
    await expect(parts.first()).toHaveText('–')
    return
  }
  const sum = (of: 'cost' | 'income' | 'actual') => known.reduce((total, day) => total + (day[of] ?? 0), 0)
  await expect(result).toHaveText(outcome(sum('actual')))
  await expect(parts.nth(0)).toHaveText(euros(sum('cost')))
  await expect(parts.nth(1)).toHaveText(euros(sum('income')))
}

test('the card shows what the API says of today and of the month', async ({ page, server }) => {
  await setPrices(server, ONE)
  await beLoggedIn(page, server, ONE)
  const savings = await answersTo<Saving[]>(page, /auth\/savings\//, () => page.goto('/dashboard'))
  const now = savings.filter(({ day }) => day === today())
  expect(now[0]?.actual).not.toBeNull()
  await expectFigure(page, text('today.title'), now)
  await expectFigure(page, month(), savings)
  // The sentence about the battery's savings.
  const known = savings.filter(({ actual, without_battery }) => actual !== null && without_battery !== null)
  const saved = known.reduce((sum, day) => sum + Number(day.without_battery) - Number(day.actual), 0)
  const word = saved > 0 ? 'saved' : 'lost'
  await expect(card(page)).toContainText(
    known.length < savings.filter(({ actual }) => actual !== null).length
      ? text('money.battery.unknown')
      : text(`money.battery.${word}.month`, { money: euros(saved) }),
  )
})

test('without prices the card links to their form, and with them it shows what was paid', async ({
  page,
  server,
}) => {
  await beLoggedIn(page, server, AWAY)
  await page.goto('/dashboard')
  await expect(card(page)).toContainText(text('money.no_prices'))
  await card(page)
    .getByRole('link', { name: text('money.enter') })
    .click()
  await page.waitForURL('**/settings?part=prices')
  const form = prices(page)

  await importField(page).fill('dreißig')
  await feedInField(page).fill('501')
  await button(form, text('money.tariff.save')).click()
  await expect(importField(page)).toBeFocused()
  await expect(importField(page)).toHaveAttribute('aria-invalid', 'true')
  await expect(form).toContainText(text('field.price_invalid'))
  await expect(form).toContainText(text('field.price_range'))

  await importField(page).fill('32,5')
  await feedInField(page).fill('8,10')
  await button(form, text('money.tariff.save')).click()
  await expect(page.getByText(text('money.tariff.saved'))).toBeVisible()
  const savings = await answersTo<Saving[]>(page, /auth\/savings\//, () => page.goBack())
  await expectFigure(page, month(), savings)
  await expectFigure(
    page,
    text('today.title'),
    savings.filter(({ day }) => day === today()),
  )
  await expect(card(page).getByRole('link', { name: text('money.change') })).toBeVisible()
})

test('an invalid day is rejected at its field', async ({ page, server }) => {
  await setPrices(server, ONE)
  await beLoggedIn(page, server, ONE)
  await page.goto('/settings?part=prices')
  await expect(importField(page)).toHaveValue('32,50')
  await page.getByLabel(text('money.tariff.since'), { exact: true }).selectOption('day')
  const from = page.getByLabel(text('money.tariff.day'))
  await from.fill(`${Number(today().slice(0, 4)) + 2}-01-01`)
  await button(prices(page), text('money.tariff.save')).click()
  await expect(from).toBeFocused()
  await expect(from).toHaveAttribute('aria-invalid', 'true')
  await expect(prices(page)).toContainText(/höchstens ein Jahr/)
})

test('the settings list the prices, and a new one is added', async ({ page, server }) => {
  await setPrices(server, ONE)
  await beLoggedIn(page, server, ONE)
  await page.goto('/settings?part=prices')
  await expect(prices(page).getByRole('listitem').first()).toHaveText(
    /^Von Anfang anBezug 32,50\sct\/kWh, Einspeisung 8,10\sct\/kWh$/,
  )
  await importField(page).fill('29.9')
  await page.getByLabel(text('money.tariff.since'), { exact: true }).selectOption('day')
  await page.getByLabel(text('money.tariff.day')).fill('2026-01-01')
  await button(prices(page), text('money.tariff.save')).click()
  await expect(prices(page).getByRole('listitem').filter({ hasText: 'Ab 1. Januar 2026' })).toContainText(
    /Bezug 29,90\sct\/kWh, Einspeisung 8,10\sct\/kWh/,
  )
})

test('the card with its numbers is accessible in both themes, on phone and desk', async ({
  page,
  server,
}) => {
  await setPrices(server, ONE)
  await beLoggedIn(page, server, ONE)
  await open(page, '/dashboard')
  await figure(page, month()).waitFor()
  await expectGoodEverywhere(page, [DESK, PHONE, NARROW])
})
