/** The calendar, with batteries whose history includes the last clock change. */
import type { Page } from '@playwright/test'
import { balanceOf, energiesOf, selfSufficiencyOf } from '../src/lib/energy.ts'
import {
  energyQuantity,
  formatFullDay,
  formatMoney,
  formatPeriod,
  joinQuantity,
  percentQuantity,
} from '../src/lib/format.ts'
import { plusDays, step } from '../src/lib/site-day.ts'
import { DESK, expectAccessible, expectGoodEverywhere, NARROW, PHONE } from './harness/axe.ts'
import { answersTo, ONE, setPrices, THREE } from './harness/owners.ts'
import type { Account, Server } from './harness/server.ts'
import { AUTUMN, BOTH_CHANGES, daysAgo, SPRING } from './harness/site-days.ts'
import { beLoggedIn, button, heading, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

const TODAY = daysAgo(0)
/** The latest day of 23 or 25 hours. */
const [CHANGE = ''] = [SPRING, AUTUMN].sort().reverse()
const MONTH = CHANGE.slice(0, 7)

// The charts need the same history, and share the server.
test.use({ history: BOTH_CHANGES })

type Row = { de_time: string } & Record<'m2' | 'm2N' | 'm4' | 'm5' | 'm5N', number | null>
type Chart = { rows: Row[] } & Record<string, number | null>
type Saving = Record<'cost' | 'income' | 'actual' | 'without_battery', number | null> & { day: string }

const monthName = (month: string) => formatPeriod(`${month}-01`, 'Month', 'de')
const grid = (page: Page) => page.getByRole('grid')
const day = (page: Page, date: string) => grid(page).locator(`[data-day="${date}"]`)
const named = (cents: number) =>
  `${text(cents < 0 ? 'money.outcome.income' : 'money.outcome.cost')} ${formatMoney(cents, 'EUR', 'de')}`

async function openCalendar(
  page: Page,
  server: Server,
  account: Account,
  address = `/calendar?month=${MONTH}`,
) {
  await setPrices(server, account)
  await beLoggedIn(page, server, account)
  await page.goto(address)
  await expect(grid(page)).toBeVisible()
  await settled(page)
}

/** The expected text of a day, computed from the API's numbers. */
function sentence(row: Row, saving: Saving | undefined): string {
  const energies = energiesOf(row)
  const balance = balanceOf(energies)
  const share = selfSufficiencyOf(energies, balance)
  const energy = (wattHours: number | null | undefined) =>
    wattHours == null ? '–' : joinQuantity(energyQuantity(wattHours, 'de'))
  const values = [
    `${text('today.self_sufficiency')} ${share === null ? '–' : joinQuantity(percentQuantity(share, 'de'))}`,
    `${text('calendar.pv')} ${energy(energies.pv)}`,
    `${text('calendar.consumption')} ${energy(balance?.consumed)}`,
    ...(saving?.actual == null ? [] : [named(saving.actual)]),
  ]
  return `${formatFullDay(row.de_time, 'de')}: ${values.join(', ')}`
}

test('each day of the month in which the clocks changed shows what the API says', async ({
  page,
  server,
}) => {
  await setPrices(server, ONE)
  await beLoggedIn(page, server, ONE)
  let savings: Saving[] = []
  const [chart] = await answersTo<Chart[]>(
    page,
    new RegExp(`energy_chart/.*days=month_${MONTH}-01`),
    async () => {
      savings = await answersTo<Saving[]>(page, /auth\/savings\//, () =>
        page.goto(`/calendar?month=${MONTH}`),
      )
    },
  )
  await settled(page)
  const measured = (chart?.rows ?? []).filter(({ m4 }) => m4 !== null)
  expect(measured.map(({ de_time }) => de_time)).toContain(CHANGE)
  for (const row of measured) {
    const saving = savings.find((one) => one.day === row.de_time)
    await expect(day(page, row.de_time)).toHaveAccessibleName(sentence(row, saving))
  }
  await expect(grid(page).locator('[data-day]')).toHaveCount(chart?.rows.length ?? 0)
  await expect(day(page, CHANGE)).toHaveCount(1)
})

test('the sums below are those of the days', async ({ page, server }) => {
  await setPrices(server, ONE)
  await beLoggedIn(page, server, ONE)
  const savings = await answersTo<Saving[]>(page, /auth\/savings\//, () =>
    page.goto(`/calendar?month=${MONTH}`),
  )
  const sums = page.getByRole('region', { name: text('calendar.sums', { month: monthName(MONTH) }) })
  const actual = savings.reduce((total, one) => total + (one.actual ?? 0), 0)
  await expect(sums).toContainText(formatMoney(actual, 'EUR', 'de'))
  await expect(sums).toContainText(/Speicher hat/)
})

test('a click on a day opens its chart, and the way back leads to the month', async ({ page, server }) => {
  await openCalendar(page, server, ONE)
  await day(page, CHANGE).click()
  await expect(page).toHaveURL(new RegExp(`/charts\\?.*date=${CHANGE}`))
  await expect(heading(page)).toHaveText(text('charts.title'))
  await expect(page.getByLabel(text('chart.date'))).toHaveValue(CHANGE)
  await expect(page.getByRole('radio', { name: text('chart.range.Day') })).toBeChecked()
  await page.goBack()
  await expect(grid(page)).toHaveAccessibleName(monthName(MONTH))
})

test('months are stepped through and selected, and the address keeps them', async ({ page, server }) => {
  await openCalendar(page, server, ONE, '/calendar')
  const now = TODAY.slice(0, 7)
  const before = step(`${now}-01`, 'Month', -1).slice(0, 7)
  await expect(grid(page)).toHaveAccessibleName(monthName(now))
  await button(page, text('calendar.back')).click()
  await expect(grid(page)).toHaveAccessibleName(monthName(before))
  await expect(page).toHaveURL(new RegExp(`month=${before}`))
  await page.getByLabel(text('calendar.month')).selectOption(MONTH)
  await expect(grid(page)).toHaveAccessibleName(monthName(MONTH))
  await page.reload()
  await expect(grid(page)).toHaveAccessibleName(monthName(MONTH))
})

test('a month without measurements says so', async ({ page, server }) => {
  await openCalendar(page, server, ONE, '/calendar?month=2020-02')
  await expect(page.getByText(text('calendar.empty'))).toBeVisible()
  await expect(button(page, text('print.button'))).toBeDisabled()
})

test('the arrow keys move from day to day, and Enter opens one', async ({ page, server }) => {
  await openCalendar(page, server, ONE)
  await expect(grid(page).locator('[tabindex="0"]')).toHaveCount(1)
  await day(page, CHANGE).focus()
  for (const [key, to] of [
    ['ArrowUp', plusDays(CHANGE, -7)],
    ['ArrowRight', plusDays(CHANGE, -6)],
    ['ArrowLeft', plusDays(CHANGE, -7)],
    ['Home', plusDays(CHANGE, -13)],
    ['End', plusDays(CHANGE, -7)],
    ['ArrowDown', CHANGE],
  ] as const) {
    await page.keyboard.press(key)
    await expect(day(page, to)).toBeFocused()
    await expect(grid(page).locator('[tabindex="0"]')).toHaveAttribute('data-day', to)
  }
  await page.keyboard.press('PageUp')
  await expect(grid(page)).not.toHaveAccessibleName(monthName(MONTH))
  await page.keyboard.press('PageDown')
  await expect(day(page, CHANGE)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`date=${CHANGE}`))
})

test('one of several systems can be chosen, and the month follows', async ({ page, server }) => {
  await openCalendar(page, server, THREE)
  await page.getByRole('button', { name: text('selector.all') }).click()
  const choice = page.getByRole('menuitemradio').nth(1)
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().includes('/api/auth/savings/')),
    choice.click(),
  ])
  expect(new URL(answer.url()).searchParams.get('sn')).not.toBe('-1')
  await expect(page).toHaveURL(new RegExp(`month=${MONTH}`))
})

test('in print the month is a light report on one sheet, without menus', async ({ page, server }) => {
  await openCalendar(page, server, ONE)
  await page.evaluate(() => {
    window.print = () => document.documentElement.setAttribute('data-printed', '')
  })
  await button(page, text('print.button')).click()
  await expect(page.locator('html')).toHaveAttribute('data-printed', '')

  await page.emulateMedia({ media: 'print' })
  await expect(heading(page)).toHaveText(text('print.title', { month: monthName(MONTH) }))
  await expect(page.getByRole('navigation')).toHaveCount(0)
  await expect(page.getByRole('banner')).toHaveCount(0)
  await expect(page.getByRole('contentinfo')).toHaveCount(0)
  await expect(page.getByRole('button')).toHaveCount(0)
  const report = page.getByRole('table')
  const [year, month] = MONTH.split('-').map(Number)
  const days = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate()
  await expect(report.getByRole('row')).toHaveCount(days + 2)
  await expect(report.getByRole('row').last()).toContainText(text('print.sum'))
  const colours = await page.evaluate(() => ({
    paper: getComputedStyle(document.documentElement).backgroundColor,
    ink: getComputedStyle(document.querySelector('table') as Element).color,
  }))
  expect(colours).toEqual({ paper: 'rgb(255, 255, 255)', ink: 'rgb(16, 22, 29)' })
  await expectAccessible(page)

  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
  expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1)
  // A4 in points.
  expect(pdf).toMatch(/\/MediaBox\s*\[0 0 59[45](\.\d+)? 84[12](\.\d+)?\]/)
})

test('the month is accessible in both themes, on phone and desk', async ({ page, server }) => {
  await openCalendar(page, server, ONE)
  await expectGoodEverywhere(page, [DESK, { width: 1024, height: 900 }, PHONE, NARROW])
})
