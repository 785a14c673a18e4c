/** Settings and commands with a real server and a simulated battery. */
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expectGoodEverywhere } from './harness/axe.ts'
import type { Battery } from './harness/battery.ts'
import type { Owner } from './harness/server.ts'
import {
  EVERY_SIZE,
  field,
  hasReported,
  openGroup,
  openSettings,
  readSettings,
  sendChanges,
  setByApi,
} from './harness/settings.ts'
import { button, settled } from './harness/steps.ts'
import { test as base, expect } from './harness/test.ts'
import { text } from './harness/texts.ts'

/** An owner with a connected battery that has reported its settings. */
const test = base.extend<{ home: Owner & { sn: string; battery: Battery } }>({
  home: async ({ server }, use) => {
    const owner = await server.newOwner()
    const [sn = ''] = owner.serials
    const battery = server.connectBattery(owner)
    await hasReported(server, owner, sn)
    await use({ ...owner, sn, battery })
    await battery.unplug()
  },
})

const state = (page: Page, name: 'waiting' | 'applied' | 'refused') =>
  page.getByText(text(`settings.state.${name}`), { exact: true })

test('what is saved while the battery is online is reported by it', async ({ page, server, home }) => {
  await openSettings(page, server, home)
  await field(page, 'reserve_soc').fill('35')
  await sendChanges(page)
  await expect(state(page, 'applied')).toBeVisible()
  await expect.poll(async () => (await readSettings(server, home, home.sn)).reported.reserve_soc).toBe(35)
  await expect(field(page, 'reserve_soc')).toHaveValue('35')
})

test('what is saved while the battery is offline reaches it when it is back', async ({
  page,
  server,
  home,
}) => {
  await openSettings(page, server, home)
  await home.battery.unplug()
  await field(page, 'reserve_soc').fill('35')
  await sendChanges(page)
  await expect(state(page, 'waiting')).toBeVisible()
  await expect(page.getByText(text('settings.state.waiting.text'))).toBeVisible()
  expect((await readSettings(server, home, home.sn)).reported.reserve_soc).toBe(10)
  const back = server.connectBattery(home)
  await expect(state(page, 'applied')).toBeVisible({ timeout: 20_000 })
  expect((await readSettings(server, home, home.sn)).reported.reserve_soc).toBe(35)
  await back.unplug()
})

test('a field that the battery rejects says why, and which value is active instead', async ({
  page,
  server,
  home,
}) => {
  await openSettings(page, server, home)
  await openGroup(page, 'meter')
  await field(page, 'meter_type').selectOption('shelly3em')
  await sendChanges(page, { password: home.password })
  await expect(state(page, 'refused')).toBeVisible()
  await expect(field(page, 'meter_type')).toHaveAccessibleDescription(
    /Nicht übernommen: Shelly 3EM\. .*TCP.*Acrel ADL400/,
  )
  await expectGoodEverywhere(page, EVERY_SIZE)
})

test('the current settings can be loaded while the main switch is off', async ({ page, server, home }) => {
  await openSettings(page, server, home)
  await button(page, text('command.switch_off.give')).click()
  await button(page.getByRole('dialog'), text('command.switch_off.give')).click()
  await expect(page.getByText(text('command.switch.off'))).toBeVisible({ timeout: 20_000 })
  await button(page, text('settings.load')).click()
  await expect(page.getByText(text('settings.loaded'))).toBeVisible()
  await field(page, 'reserve_soc').fill('20')
  await sendChanges(page)
  await expect.poll(async () => (await readSettings(server, home, home.sn)).reported.reserve_soc).toBe(20)
})

const runMeterTest = async (page: Page) => {
  await openGroup(page, 'meter')
  await button(page, text('command.meter_test.start')).click()
  await expect(page.getByRole('progressbar')).toBeVisible({ timeout: 20_000 })
}

test('the meter test shows every phase live and passes where meter and address are right', async ({
  page,
  server,
  home,
}) => {
  await openSettings(page, server, home)
  await runMeterTest(page)
  const phases = page.getByRole('listitem').filter({ hasText: text('systems.phase', { phase: '' }) })
  await expect(phases).toHaveCount(3)
  await expect(phases.filter({ hasText: text('command.phase.ok') }).first()).toBeVisible()
  await expect(page.getByText(text('command.state.done'), { exact: true })).toBeVisible({ timeout: 20_000 })
  await expect(page.getByText(/Der Zähler antwortet auf allen Phasen/)).toBeVisible()
  await expectGoodEverywhere(page, EVERY_SIZE)
})

test('the meter test fails if no meter has the address', async ({ page, server, home }) => {
  await setByApi(server, home, home.sn, { meter_address: '77' })
  await hasReported(server, home, home.sn)
  await openSettings(page, server, home)
  await runMeterTest(page)
  await expect(page.getByText(text('command.state.failed'), { exact: true })).toBeVisible({ timeout: 20_000 })
  await expect(page.getByText(/Der Zähler antwortet nicht\. Bitte prüfen/)).toBeVisible()
  await expect(page.getByText(text('command.phase.silent')).first()).toBeVisible()
})

/** A window of one hour, half a day away. */
function farFromNow(): { start: string; end: string } {
  const now = Number(
    new Intl.DateTimeFormat('en-GB', { hour: 'numeric', timeZone: 'Europe/Berlin' }).format(),
  )
  const hour = (now + 12) % 24
  const at = (hours: number) => `${String(hours).padStart(2, '0')}:00`
  return { start: at(hour), end: at(hour + 1) }
}

test('a charge window visibly changes the battery’s power', async ({ page, server, home }) => {
  // Always cheap: it charges from the grid independently of the sun.
  const cheap = { provider: 'fixed', import_price: '10', charge_price: '20', dynamic_tariff: 'price' }
  await setByApi(server, home, home.sn, { ...cheap, charge_power: '1500' })
  await openSettings(page, server, home)
  const power = page
    .getByRole('article')
    .filter({ has: page.getByRole('heading', { name: text('card.battery_power'), exact: true }) })
  // Not "entlädt".
  const charges = /1,5\s*kW.*(?<!ent)lädt/
  await page.goto('/dashboard')
  await expect(power).toHaveText(charges, { timeout: 20_000 })
  await page.goto('/settings')
  const { start, end } = farFromNow()
  await field(page, 'charge_start').fill(start)
  await field(page, 'charge_end').fill(end)
  await sendChanges(page)
  await expect(state(page, 'applied')).toBeVisible()
  await page.goto('/dashboard')
  await expect(power).toBeVisible()
  await expect(power).not.toHaveText(charges, { timeout: 20_000 })
})

test('a command is followed to its end, and the battery obeys', async ({ page, server, home }) => {
  await openSettings(page, server, home)
  await page.getByLabel(text('command.soc'), { exact: true }).fill('100')
  await page.getByLabel(text('command.power'), { exact: true }).fill('1000')
  await button(page, text('command.charge_to.give')).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('command.charge_to.give') })
    .click()
  await expect(page.getByText(text('command.state.done'), { exact: true })).toBeVisible({ timeout: 20_000 })
  await page.goto('/dashboard')
  const power = page
    .getByRole('article')
    .filter({ has: page.getByRole('heading', { name: text('card.battery_power'), exact: true }) })
  await expect(power).toHaveText(/1,0\s*kW.*(?<!ent)lädt/, { timeout: 20_000 })
  // It stays in force until somebody ends it.
  const inForce = page.getByRole('region', { name: text('in_force.title') })
  await expect(inForce).toContainText(/Lädt bis 100\s%, mit höchstens 1,0\skW/)
  const end = inForce.getByRole('button', { name: text('in_force.end.charge') })
  await end.click()
  await expect(end).toBeHidden({ timeout: 20_000 })
  await expect(power).not.toHaveText(/1,0\s*kW.*(?<!ent)lädt/, { timeout: 20_000 })
})

test('a command that no battery answers expires and says so', async ({ page, server }) => {
  await openSettings(page, server, await server.newOwner())
  await button(page, text('command.auto.give')).click()
  await expect(page.getByText(text('command.state.queued'), { exact: true })).toBeVisible()
  await server.passMinutes(6)
  await expect(page.getByText(text('command.state.expired'), { exact: true })).toBeVisible({
    timeout: 20_000,
  })
})

test('the journal says in sentences who changed what, with filters and exports', async ({
  page,
  server,
  home,
}) => {
  await openSettings(page, server, home)
  await field(page, 'reserve_soc').fill('35')
  await sendChanges(page)
  await expect(state(page, 'applied')).toBeVisible()
  await page.getByRole('link', { name: text('settings.part.journal'), exact: true }).click()
  const lines = page.getByRole('main').getByRole('listitem').filter({ hasText: home.sn })
  await expect(lines.filter({ hasText: /von 10\s% auf 35\s% geändert/ })).toContainText(/Sie/)
  await page.getByLabel(text('journal.actor'), { exact: true }).selectOption('battery')
  await expect(lines.filter({ hasText: /auf 35\s%/ })).toHaveCount(0)
  await expect(lines.filter({ hasText: /neuen Einstellungen übernommen/ }).first()).toBeVisible()
  await page.reload()
  await settled(page)
  await expect(page.getByLabel(text('journal.actor'), { exact: true })).toHaveValue('battery')
  await page.getByLabel(text('journal.actor'), { exact: true }).selectOption('you')
  await expect(lines.filter({ hasText: /auf 35\s%/ })).toHaveCount(1)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    button(page, text('journal.export')).click(),
  ])
  expect(download.suggestedFilename()).toBe('suncellar_journal.csv')
  const table = await readFile(await download.path(), 'utf8')
  expect(table).toMatch(/auf 35\s% geändert/)
  expect(table).not.toContain('neuen Einstellungen übernommen')
  await expectGoodEverywhere(page, EVERY_SIZE)
})
