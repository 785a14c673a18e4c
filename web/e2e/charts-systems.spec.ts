/** Several systems below each other: the same series and time, a common cursor, and one export. */
import type { Locator, Page } from '@playwright/test'
import { DESK, expectAccessibleInBothThemes, expectGoodEverywhere, NARROW, PHONE } from './harness/axe.ts'
import {
  charts,
  csvNumber,
  fileOf,
  inspectPicture,
  numberOf,
  readCsv,
  readTable,
  zoomAfter,
  zoomOf,
} from './harness/chart.ts'
import { tabTo } from './harness/keyboard.ts'
import { open } from './harness/screens.ts'
import { type Account, PASSWORD } from './harness/server.ts'
import { BOTH_CHANGES, daysAgo } from './harness/site-days.ts'
import { beLoggedIn, button } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

// One server with such a long history is enough.
test.describe.configure({ mode: 'default' })
test.use({ history: BOTH_CHANGES })

const THREE: Account = { email: 'family@example.com', password: PASSWORD, role: 'user' }
const DAY = `/charts?date=${daysAgo(3)}`
const [FIRST, SECOND] = ['SC24B0001', 'SC24B0002']

test.beforeEach(({ page, server }) => beLoggedIn(page, server, THREE))

const menu = (page: Page) => button(page, text('chart.compare'))
const entry = (page: Page, name: string) => page.getByRole('menuitemcheckbox', { name })
const panelOf = (page: Page, name: string): Locator =>
  page.locator('section[aria-labelledby=chart] > div > div').filter({
    has: page.getByRole('heading', { level: 3, name }),
  })

async function add(page: Page, ...names: string[]) {
  await menu(page).click()
  for (const name of names) await entry(page, name).click()
  await page.keyboard.press('Escape')
}

test('systems are added and removed, and the address keeps them', async ({ page, context }) => {
  await open(page, DAY)
  await expect(charts(page)).toHaveCount(1)
  await add(page, FIRST, SECOND)
  await expect(charts(page)).toHaveCount(3)
  await expect(page.getByRole('heading', { level: 3 })).toHaveText([
    `${text('selector.all')} 3 Anlagen`,
    `${FIRST} Phase 1`,
    `${SECOND} Phase 2`,
  ])
  const tab = await context.newPage()
  await open(tab, page.url())
  await expect(charts(tab)).toHaveCount(3)
  await tab.close()

  await button(page, text('chart.remove_system', { system: text('selector.all') })).click()
  await expect(charts(page)).toHaveCount(2)
  await expect(page).toHaveURL(new RegExp(`sn=${FIRST}.*with=${SECOND}|with=${SECOND}.*sn=${FIRST}`))
  await page.goBack()
  await expect(charts(page)).toHaveCount(3)
})

test('the last system cannot be removed, and a link names only what one owns', async ({ page }) => {
  await open(page, `${DAY}&sn=${FIRST}&with=SC24A0001`)
  await expect(charts(page)).toHaveCount(1)
  await menu(page).click()
  await expect(entry(page, FIRST)).toHaveAttribute('aria-disabled', 'true')
  await expect(entry(page, SECOND)).not.toHaveAttribute('aria-disabled')
})

test('an owner of one system has nothing to compare', async ({ page, server }) => {
  await beLoggedIn(page, server, { ...THREE, email: 'owner@example.com' })
  await open(page, DAY)
  await expect(charts(page)).toHaveCount(1)
  await expect(menu(page)).toHaveCount(0)
})

test('cursor and zoom of one chart are those of all', async ({ page }) => {
  await open(page, `${DAY}&sn=${FIRST}&with=${SECOND}`)
  const [first, second] = [charts(page).first(), charts(page).last()]
  await first.focus()
  await page.keyboard.press('Home')
  for (let points = 0; points < 40; points += 1) await page.keyboard.press('ArrowRight')
  await expect(first).toHaveAttribute('aria-valuetext', /^10:00: /)
  await expect(second).toHaveAttribute('aria-valuetext', /^10:00: /)
  const shown = async (name: string) => {
    const [reading] = await panelOf(page, name).getByRole('listitem').allTextContents()
    return reading
  }
  const said = (await second.getAttribute('aria-valuetext')) ?? ''
  expect(said).toContain(((await shown(SECOND)) ?? '').replace(text('series.pv'), ''))

  expect(await zoomAfter(page, () => page.keyboard.press('+'))).not.toBeNull()
  await page.keyboard.press('End')
  await expect(second).toHaveAttribute('aria-valuetext', /^18:00: /)
  await first.hover({ position: { x: 300, y: 60 } })
  const time = (await first.getAttribute('aria-valuetext'))?.slice(0, 5)
  expect(time).not.toBe('18:00')
  await expect(second).toHaveAttribute('aria-valuetext', new RegExp(`^${time}`))
  expect(zoomOf(page)).not.toBeNull()
})

test('the table and the CSV contain every system, and all systems are their sum', async ({ page }) => {
  await open(page, `${DAY}&with=${FIRST},${SECOND},SC24B0003&series=m6,m0&view=table`)
  const names = [text('selector.all'), FIRST, SECOND, 'SC24B0003']
  const tables: (number | null)[][][] = []
  for (const name of names)
    tables.push((await readTable(panelOf(page, name))).map(([, ...cells]) => cells.map(numberOf)))
  expect(tables.map((rows) => rows.length)).toEqual([96, 96, 96, 96])

  const { header, rows } = readCsv((await fileOf(page, 'CSV')).content)
  expect(header[0]).toBe(text('chart.system'))
  for (const [place, name] of names.entries()) {
    const own = rows.filter(([system]) => system === name)
    expect(own.map(([, , , ...cells]) => cells.map(csvNumber))).toEqual(tables[place])
  }
  const [all = [], ...units] = tables.map((cells) => cells.map(([power]) => power ?? Number.NaN))
  expect(units[0]?.map((_, at) => units.reduce((sum, unit) => sum + (unit[at] ?? 0), 0))).toEqual(all)
})

test('the picture contains every system', async ({ page }) => {
  await open(page, `${DAY}&sn=${FIRST}&with=${SECOND}`)
  const { name, content } = await fileOf(page, 'PNG')
  expect(name).toContain(`${FIRST}-${SECOND}`)
  const { height, colours } = await inspectPicture(page, content)
  expect(height).toBeGreaterThan(2 * 240)
  expect(colours).toBeGreaterThan(100)
})

test('systems are compared with the keyboard alone', async ({ page }) => {
  await open(page, DAY)
  await tabTo(page, 'button', text('chart.compare'))
  await page.keyboard.press('Enter')
  // The only shown system cannot be removed, so the next one is the first option.
  await expect(entry(page, FIRST)).toBeFocused()
  await page.keyboard.press('Space')
  await expect(entry(page, FIRST)).toBeChecked()
  await page.keyboard.press('Escape')
  await expect(menu(page)).toBeFocused()
  await expect(charts(page)).toHaveCount(2)
  await tabTo(page, 'button', text('chart.remove_system', { system: FIRST }))
  await page.keyboard.press('Enter')
  await expect(charts(page)).toHaveCount(1)
})

test('several systems are accessible in both themes, on phone and desk', async ({ page }) => {
  for (const view of ['', '&view=table']) {
    await open(page, `${DAY}&with=${FIRST}${view}`)
    await expectGoodEverywhere(page, [DESK, PHONE, NARROW])
  }
  await menu(page).click()
  await expect(entry(page, FIRST)).toBeVisible()
  await expectAccessibleInBothThemes(page)
})
