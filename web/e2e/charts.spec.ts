/** The charts page, and its state in the address. */
import type { Page } from '@playwright/test'
import { formatPeriod } from '../src/lib/format.ts'
import { siteDayOf } from '../src/lib/site-day.ts'
import { DESK, expectGoodEverywhere, NARROW, PHONE } from './harness/axe.ts'
import {
  charts,
  chip,
  drawnTexts,
  numberOf,
  ONE,
  readTable,
  recordTexts,
  zoomAfter,
  zoomOf,
} from './harness/chart.ts'
import { tabTo } from './harness/keyboard.ts'
import { open } from './harness/screens.ts'
import { BOTH_CHANGES, daysAgo } from './harness/site-days.ts'
import { beLoggedIn, button, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

// One server with such a long history is enough.
test.describe.configure({ mode: 'default' })
test.use({ history: BOTH_CHANGES })

/** A past day, whose values no longer change. */
const DAY = `/charts?date=${daysAgo(3)}`

test.beforeEach(({ page, server }) => beLoggedIn(page, server, ONE))

test('a series is added and removed', async ({ page }) => {
  await recordTexts(page)
  await open(page, DAY)
  expect(await drawnTexts(page)).not.toContain('230')
  await expect(page.getByText(text('chart.values.mean'), { exact: true })).toBeVisible()
  for (const id of ['series.voltage', 'series.discharge', 'series.charge'] as const) {
    await expect(chip(page, id)).toHaveAttribute('aria-pressed', 'false')
    await chip(page, id).click()
    await expect(chip(page, id)).toHaveAttribute('aria-pressed', 'true')
    await expect(chip(page, id)).toContainText(/\d\s(V|kWh)$/)
  }
  await expect(page).toHaveURL(/series=m6%2Cm8%2Cm1%2Cm0%2Cm3%2Cm7%2Cm5%2Cm5N/)
  await expect(page.getByText(`${text('chart.values.mean')} · ${text('chart.values.energy')}`)).toBeVisible()
  await expect.poll(() => drawnTexts(page)).toContainEqual(expect.stringMatching(/kWh$/))
  await chip(page, 'series.house').click()
  await expect(chip(page, 'series.house')).toHaveText(text('series.house'))
  await expect(page).not.toHaveURL(/m8/)
})

test('without any series the page asks for one', async ({ page }) => {
  await open(page, `${DAY}&series=`)
  await expect(page.getByText(text('chart.none'))).toBeVisible()
  await expect(button(page, 'CSV')).toBeDisabled()
  await expect(charts(page)).toHaveCount(0)
})

test('forecasts can be selected and say that there are none yet', async ({ page }) => {
  await open(page, DAY)
  await expect(page.getByText(text('chart.no_forecast'))).toHaveCount(0)
  await chip(page, 'series.energy_forecast').click()
  await expect(page.getByText(text('chart.no_forecast'))).toBeVisible()
  await expect(chip(page, 'series.energy_forecast')).toContainText('–')
})

test('the day before stands behind a day, in chips, in words and in the table, and the address keeps it', async ({
  page,
}) => {
  const answered = page.waitForResponse((answer) => answer.url().includes(`from_date=${daysAgo(4)}`))
  await open(page, DAY)
  await page.getByLabel(text('chart.before')).selectOption('day')
  const before = (await (await answered).json()) as { series: { m6: (number | null)[] } }
  await expect(page).toHaveURL(/before=day/)
  await expect(chip(page, 'series.pv')).toContainText(text('chart.before.day'))
  await expect(
    page.getByText(text('chart.before.note', { period: formatPeriod(daysAgo(4), 'Day', 'de') })),
  ).toBeVisible()
  await charts(page).focus()
  await page.keyboard.press('End')
  await expect(charts(page)).toHaveAttribute(
    'aria-valuetext',
    new RegExp(`PV-Leistung .*\\(${text('chart.before.day')} `),
  )
  await settled(page)
  await page.reload()
  await expect(page.getByLabel(text('chart.before'))).toHaveValue('day')
  await button(page, text('chart.as_table')).click()
  const table = await readTable(page)
  const noon = table.find(([time]) => time === '12:00')
  expect(numberOf(noon?.[2] ?? '')).toBe(Math.ceil(before.series.m6[48] ?? Number.NaN))
  await page.getByLabel(text('chart.before')).selectOption('none')
  await expect(page).not.toHaveURL(/before=/)
})

test('a week is the last seven days', async ({ page }) => {
  const [answer] = await Promise.all([
    page.waitForResponse((one) => one.url().includes('interval=Week')),
    open(page, `/charts?range=Week&date=${daysAgo(3)}`),
  ])
  const { time } = (await answer.json()) as { time: number[] }
  const day = (ms = 0) => siteDayOf(ms, 'Europe/Berlin')
  expect([day(time[0]), day(time.at(-1))]).toEqual([daysAgo(9), daysAgo(3)])
  await button(page, text('chart.forth')).click()
  await expect(page).toHaveURL(new RegExp(`date=${daysAgo(0)}`))
  await expect(button(page, text('chart.forth'))).toBeDisabled()
})

test('back and forward keep the chart', async ({ page }) => {
  await open(page, DAY)
  await chip(page, 'series.voltage').click()
  await zoomAfter(page, () => button(page, text('chart.zoom_in')).click())
  const zoomed = page.url()
  await page.getByText(text('chart.range.Month'), { exact: true }).click()
  await expect(page.getByRole('radio', { name: text('chart.range.Month') })).toBeChecked()
  expect(zoomOf(page)).toBeNull()
  await page.goBack()
  await expect(page).toHaveURL(zoomed)
  await expect(page.getByRole('radio', { name: text('chart.range.Day') })).toBeChecked()
  await expect(chip(page, 'series.voltage')).toHaveAttribute('aria-pressed', 'true')
  await expect(button(page, text('chart.whole'))).toBeEnabled()
  await page.goForward()
  await expect(page.getByRole('radio', { name: text('chart.range.Month') })).toBeChecked()
  await page
    .getByRole('link', { name: text('nav.dashboard') })
    .first()
    .click()
  await page.waitForURL('**/dashboard')
  await page.goBack()
  await expect(page.getByRole('radio', { name: text('chart.range.Month') })).toBeChecked()
})

test('the address opens the same chart in a new tab', async ({ page, context }) => {
  await open(page, DAY)
  await page.getByLabel(text('chart.resolution')).selectOption('hour')
  await page.getByLabel(text('chart.method')).selectOption('max')
  await chip(page, 'series.house').click()
  await zoomAfter(page, () => button(page, text('chart.zoom_in')).click())
  await settled(page)
  const tab = await context.newPage()
  await open(tab, page.url())
  await expect(tab.getByLabel(text('chart.resolution'))).toHaveValue('hour')
  await expect(tab.getByLabel(text('chart.method'))).toHaveValue('max')
  const drawing = (one: Page) =>
    one.locator('canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())
  expect(await drawing(tab)).toBe(await drawing(page))
})

test('steps, a date and a range are chosen with the keyboard alone, and so is a point', async ({ page }) => {
  await open(page, DAY)
  await tabTo(page, 'button', text('chart.back'))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`date=${daysAgo(4)}`))
  await tabTo(page, 'button', text('series.voltage'))
  await page.keyboard.press('Space')
  await expect(chip(page, 'series.voltage')).toHaveAttribute('aria-pressed', 'true')

  await tabTo(page, 'slider', /./)
  await page.keyboard.press('Home')
  await expect(charts(page)).toHaveAttribute('aria-valuetext', /^00:00: PV-Leistung 0\sW, Haus /)
  await page.keyboard.press('ArrowRight')
  await expect(charts(page)).toHaveAttribute('aria-valuetext', /^00:15: /)
  expect(await zoomAfter(page, () => page.keyboard.press('+'))).not.toBeNull()
  const [from] = (await zoomAfter(page, () => page.keyboard.press('Shift+ArrowLeft'))) ?? [0]
  await page.keyboard.press('Home')
  const hours = new Date(from * 1_000).toLocaleTimeString('de', {
    hour: '2-digit',
    timeZone: 'Europe/Berlin',
  })
  await expect(charts(page)).toHaveAttribute(
    'aria-valuetext',
    new RegExp(`^${Number.parseInt(hours, 10).toString().padStart(2, '0')}:`),
  )
  expect(await zoomAfter(page, () => page.keyboard.press('0'))).toBeNull()
  await tabTo(page, 'button', text('chart.zoom_in'))
  await zoomAfter(page, () => page.keyboard.press('Enter'))
  await tabTo(page, 'button', text('chart.whole'))
  await zoomAfter(page, () => page.keyboard.press('Enter'))
  // Zoom out is disabled, but keeps the focus.
  await expect(button(page, text('chart.whole'))).toBeDisabled()
  await expect(button(page, text('chart.whole'))).toBeFocused()

  await tabTo(page, 'combobox', text('chart.resolution'))
  await page.keyboard.press('ArrowDown')
  await expect(page).toHaveURL(/resolution=hour/)
  await tabTo(page, 'button', text('chart.as_table'))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('table')).toBeVisible()
})

test('what a chart shows is said in words, each series with its highest value and when', async ({ page }) => {
  const words = page.getByRole('list', { name: text('words.list') }).getByRole('listitem')
  await open(page, DAY)
  await expect(words.first()).toHaveText(
    /^PV-Leistung: 0\sW \(00:00\) bis [\d,]+\sk?W \(\d\d:\d\d\), im Mittel [\d,]+\sk?W$/,
  )
  await expect(words.nth(2)).toHaveText(/^Speicher: .*lädt \(\d\d:\d\d\) bis .* \(\d\d:\d\d\)$/)
  await zoomAfter(page, () => button(page, text('chart.zoom_in')).click())
  await expect(words.first()).toHaveText(/^Ausschnitt: \d\d:\d\d bis \d\d:\d\d$/)
  await open(page, '/charts?range=Year')
  await expect(words.first()).toHaveText(
    /^PV-Energie: insgesamt [\d.,]+\skWh, am meisten [\d.,]+\skWh \(\p{L}+ \d{4}\)$/u,
  )
})

test('with reduced motion nothing is animated', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await open(page, DAY)
  await chip(page, 'series.voltage').click()
  await button(page, text('chart.zoom_in')).click()
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
})

test('the page of charts is accessible in both themes, on phone and desk', async ({ page }) => {
  for (const address of [DAY, `${DAY}&view=table`, `${DAY}&range=Year`]) {
    await open(page, address)
    await expectGoodEverywhere(page, [DESK, PHONE, NARROW])
  }
})
