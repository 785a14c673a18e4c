/** An electrician commissions an unowned demo battery. */
import { execFileSync } from 'node:child_process'
import type { Page } from '@playwright/test'
import { DESK, expectAccessible, expectNoSidewaysScroll, PHONE } from './harness/axe.ts'
import type { Account, Server } from './harness/server.ts'
import { beLoggedIn, button, heading, sendRegistration, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

const SN = 'SC24D0003'
/** The server's names of the steps, in German. */
const METER = 'Stromzähler'
const PHASES = 'Vorzeichen- und Phasentest'
const CUSTOMER = 'Kunde und Ort der Anlage'

/** A demo battery measures only every 30 s if nobody watches it. */
const SLOW = 60_000

const step = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true })
const check = (page: Page, title: string) => button(step(page, title), text('commissioning.check'))
const passed = (page: Page, title: string, timeout = SLOW) =>
  expect(
    page.getByRole('button', { name: new RegExp(`^${title}.*${text('commissioning.state.passed')}`) }),
  ).toBeVisible({ timeout })

/** Retries until it passes, because a battery takes a moment to apply changes. */
const pass = (page: Page, title: string) =>
  expect(async () => {
    if (await check(page, title).isVisible()) await check(page, title).click()
    await passed(page, title, 3_000)
  }).toPass({ timeout: SLOW })

async function enterCode(page: Page, server: Server, account: Account) {
  const code = await server.installerCode(SN)
  await beLoggedIn(page, server, account)
  await page.goto('/electrician-settings#grants')
  await settled(page)
  await page.getByLabel(text('grants.code.label'), { exact: true }).fill(code)
  await button(page, text('grants.code.submit')).click()
  await expect(page.getByRole('region', { name: text('grants.held'), exact: true })).toContainText(SN)
}

/** Measures without the load, then with it: the live value shows when the battery has measured it. */
async function testPhase(page: Page, server: Server, phase: number) {
  const row = step(page, PHASES)
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: `L${phase}`, exact: true }) })
  await button(row, text('commissioning.phase.measure_off', { phase: String(phase) })).click()
  const on = button(row, text('commissioning.phase.measure_on', { phase: String(phase) }))
  await on.waitFor()
  await server.kettle(SN, phase, true)
  await expect(row).toContainText('Gestiegen um 2,0', { timeout: SLOW })
  // Retried if the load came within a tenth of a second of the first reading; then the page asks for it.
  await expect(async () => {
    if (await on.isVisible()) await on.click()
    // After the last phase the step has passed, and the next one opens.
    if (phase < 3) await expect(row).toContainText('In Ordnung', { timeout: 3_000 })
    else await passed(page, PHASES, 3_000)
  }).toPass({ timeout: SLOW })
  await server.kettle(SN, phase, false)
}

test('from an unopened box to the customer', async ({ page, server, otherBrowser }) => {
  test.setTimeout(300_000)
  await page.setViewportSize(PHONE)
  // The box is not opened yet, so nothing is connected.
  await server.plug(SN, false)
  const electrician = await server.newElectrician('Elektro Čačić')
  await enterCode(page, server, electrician)
  // By the list: if the list of systems has changed, the app starts there.
  await page.goto('/electrician-dashboard')
  await page.getByRole('link', { name: SN }).click()
  await page.getByRole('link', { name: text('commissioning.title') }).click()
  await button(page, text('commissioning.begin')).click()

  // The server refuses while a step is open.
  await button(page, text('commissioning.finish')).click()
  await expect(page.getByText(text('commissioning.finish.refused'))).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: METER })).toBeVisible()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)

  // The battery is connected and reports.
  await server.plug(SN, true)
  const units = 'Geräte und Außenleiter'
  await expect(step(page, units)).toContainText(text('commissioning.unit.online'), { timeout: SLOW })
  await pass(page, units)

  // With a wrong address the battery receives nothing, and its test fails.
  const meter = step(page, METER)
  const address = meter.getByLabel(text('setting.meter_address'), { exact: true })
  for (const [typed, result] of [
    ['9', 'command.state.failed'],
    ['1', 'command.state.done'],
  ] as const) {
    await address.fill(typed)
    await button(meter, text('settings.send')).click()
    await expect(meter).toContainText(text('settings.state.applied'), { timeout: SLOW })
    await button(meter, text('command.meter_test.start')).click()
    await expect(meter).toContainText(text(result), { timeout: SLOW })
    if (typed === '9')
      await expect(meter.getByText('hört den Stromzähler nicht')).toBeVisible({ timeout: SLOW })
  }
  await pass(page, METER)

  // The sign and phase test, with the battery held.
  await button(page, text('commissioning.hold')).waitFor()
  await expectAccessible(page)
  await button(page, text('commissioning.hold')).click()
  await expect(page.getByText(text('commissioning.rests'))).toBeVisible({ timeout: SLOW })
  for (const phase of [1, 2, 3]) await testPhase(page, server, phase)

  // A colleague continues on another device.
  const desk = await otherBrowser()
  await desk.setViewportSize(DESK)
  await beLoggedIn(desk, server, electrician)
  await desk.goto(`/electrician-dashboard/${SN}/commissioning`)
  const limits = 'Leistungsgrenzen und § 14a EnWG'
  const limit = step(desk, limits).getByLabel(text('setting.charge_limit'), { exact: true })
  await limit.fill('2000')
  await button(step(desk, limits), text('settings.send')).click()
  await expect(step(desk, limits)).toContainText(text('settings.state.applied'), { timeout: SLOW })
  await pass(desk, limits)
  for (const title of ['Begrenzung der Einspeisung', 'Notstrom und USV', 'Firmware der Geräte'])
    await pass(desk, title)
  await button(desk, text('commissioning.finish')).click()
  await expect(desk.getByText(text('commissioning.finish.refused'))).toBeVisible()
  const customer = step(desk, CUSTOMER)
  await customer.getByLabel(text('end_user.first_name'), { exact: true }).fill('Łukasz')
  await customer.getByLabel(text('end_user.last_name'), { exact: true }).fill('Żółć')
  await customer.getByLabel(text('commissioning.place'), { exact: true }).fill('Rue Zoé 7, 10115 Berlin')
  await pass(desk, CUSTOMER)
  const instruction = step(desk, 'Einweisung und Übergabe')
  await instruction.getByLabel(text('commissioning.instructed')).check()
  await check(desk, 'Einweisung und Übergabe').click()
  await expect(desk.getByText(text('commissioning.finish.ready'))).toBeVisible({ timeout: SLOW })
  await expectAccessible(desk)
  await button(desk, text('commissioning.finish')).click()

  await desk.waitForURL('**/protocol/*')
  await expect(heading(desk)).toHaveText('Inbetriebnahmeprotokoll')
  await expect(desk.getByText('Łukasz Żółć')).toBeVisible()
  await expectAccessible(desk)
  await desk.setViewportSize(PHONE)
  await expectAccessible(desk)
  await expectNoSidewaysScroll(desk)
  const number = `${SN}-1`
  const [download] = await Promise.all([
    desk.waitForEvent('download'),
    button(desk, text('protocol.pdf', { number })).click(),
  ])
  expect(download.suggestedFilename()).toBe(`suncellar-${number}.pdf`)
  const printed = execFileSync('pdftotext', ['-layout', await download.path(), '-'], { encoding: 'utf8' })
  for (const wanted of ['Łukasz Żółć', SN, 'Elektro Čačić', 'Rue Zoé 7, 10115 Berlin'])
    expect(printed).toContain(wanted)

  // The customer stands beside the electrician, and scans the code.
  const [issued] = await Promise.all([
    desk.waitForResponse((answer) => answer.url().endsWith('/customer_code/')),
    button(desk, text('protocol.code.show')).click(),
  ])
  const { link, code } = (await issued.json()) as { link: string; code: string }
  await expect(desk.getByRole('img', { name: text('protocol.code.qr') })).toBeVisible()
  await expect(desk.getByText(code)).toBeVisible()
  await expectAccessible(desk)
  await expectNoSidewaysScroll(desk)
  const [withCode] = await Promise.all([
    desk.waitForEvent('download'),
    button(desk, text('protocol.code.pdf')).click(),
  ])
  const given = execFileSync('pdftotext', ['-layout', await withCode.path(), '-'], { encoding: 'utf8' })
  expect(given).toContain(code)
  const phone = await otherBrowser()
  await phone.setViewportSize(PHONE)
  const { hash } = new URL(link)
  await phone.goto(`/register${hash}`)
  await expect(phone.getByText(text('register.key'))).toBeVisible()
  await expect(phone.locator('input[name=sn1]')).toHaveValue(code)
  // The code stands in the form already.
  await sendRegistration(phone, { account: server.nextAccount('user') })
  await expect(heading(phone)).toHaveText(text('register.ready'))
  await expect(phone.getByText(text('keys.linked'))).toBeVisible()
  // The electrician sees it by itself.
  await expect(desk.getByText(text('protocol.code.taken'))).toBeVisible()
  await expectAccessible(desk)
})
