/** A unit is replaced under warranty: the house keeps its history, for owner and electrician. */
import type { Page, Request } from '@playwright/test'
import { DESK, expectAccessible, expectGoodEverywhere, expectNoSidewaysScroll, PHONE } from './harness/axe.ts'
import { numberOf, readTable } from './harness/chart.ts'
import { open } from './harness/screens.ts'
import type { Account, Server, Site } from './harness/server.ts'
import { berlinDay } from './harness/site-days.ts'
import { beLoggedIn, button, heading, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

test.use({ movesClock: 'hours' })

const PAUSE = 30
/** More than a house uses in a minute. */
const JUMP = 300

const dialog = (page: Page) => page.getByRole('dialog')
const systemsCard = (page: Page) => page.getByRole('region', { name: text('account.systems'), exact: true })
const keyField = (page: Page) =>
  dialog(page)
    .getByLabel(text('replace.key'), { exact: true })
    .or(dialog(page).getByLabel(text('replace.key_electrician'), { exact: true }))

const siteDay = (server: Server) => berlinDay(server.now)

/** Both units have to measure on the same day. */
async function avoidMidnight(server: Server) {
  if (berlinDay(server.now + 2 * PAUSE * 60_000) !== siteDay(server)) await server.passMinutes(2 * PAUSE)
}

/** Waits until the battery has sent a few samples, and disconnects it. */
async function waitForReport(server: Server, account: Account, site: Site) {
  const [sn = ''] = site.serials
  const since = server.now
  const battery = server.connectBattery(site)
  const measured = async () => {
    const rows = await server.get<{ time: number[]; series: { m0: (number | null)[] } }>(
      `/api/auth/graph/?sn=${sn}&interval=Day&from_date=${siteDay(server)}&resolution=minute&series=m0`,
      account,
    )
    return rows.time.filter((at, place) => at > since - 60_000 && rows.series.m0[place] !== null).length
  }
  await expect.poll(measured, { timeout: 60_000, intervals: [2_000] }).toBeGreaterThan(0)
  return battery
}

async function enterKey(page: Page, key: string) {
  await keyField(page).fill(key)
  await button(dialog(page), text('replace.next')).click()
}

test('an owner replaces a unit, and the day continues in the same chart without a jump', async ({
  page,
  server,
}) => {
  test.setTimeout(180_000)
  await avoidMidnight(server)
  const owner = await server.newOwner()
  const [old = ''] = owner.serials
  await (await waitForReport(server, owner, owner)).unplug()
  await server.passMinutes(PAUSE)
  const spare = await server.newSite()
  const [next = ''] = spare.serials

  await beLoggedIn(page, server, owner)
  await page.goto('/settings?part=account')
  await settled(page)
  await button(page, text('replace.label', { sn: old })).click()
  await expect(dialog(page)).toContainText(text('replace.point.old'))
  await expectGoodEverywhere(page, [PHONE, DESK])

  await test.step('what is wrong is said at the field', async () => {
    await button(dialog(page), text('replace.next')).click()
    await expect(keyField(page)).toBeFocused()
    await enterKey(page, old)
    await expect(keyField(page)).toHaveAccessibleDescription(/ersetzt werden soll/)
    await expectAccessible(page)
  })

  await enterKey(page, spare.code)
  await expect(dialog(page)).toContainText(text('replace.confirm', { sn: old, unit: next }))
  await expectGoodEverywhere(page, [PHONE, DESK])
  await button(dialog(page), text('replace.submit')).click()
  await expect(page.getByText(text('replace.done', { sn: old, next }))).toBeVisible()
  await expect(dialog(page)).toBeHidden()
  await expect(systemsCard(page)).toContainText(next)
  await expect(systemsCard(page).getByText(old, { exact: true })).toBeHidden()

  const battery = await waitForReport(server, owner, spare)
  const series = 'm0,m2'
  await open(page, `/charts?date=${siteDay(server)}&resolution=minute&series=${series}&view=table`)
  const rows = (await readTable(page)).map(([time = '', ...cells]) => {
    const [, hour = '0', minute = '0'] = time.match(/(\d{1,2}):(\d{2})/) ?? []
    return { minute: Number(hour) * 60 + Number(minute), values: cells.map(numberOf) }
  })
  const minutes = rows.map(({ minute }) => minute)
  expect(Math.max(...minutes) - Math.min(...minutes)).toBeGreaterThanOrEqual(PAUSE - 2)
  for (const { values } of rows) expect(values[1] ?? 0).toBeLessThan(JUMP)
  await battery.unplug()

  await page.goto('/settings?part=journal')
  await expect(page.getByText(`Das Gerät ${old} wurde durch ${next} ersetzt.`)).toBeVisible()
})

test('with the serial number alone the main switch of the new unit is the proof', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  const [old = ''] = owner.serials
  const spare = await server.newSite()
  const [next = ''] = spare.serials
  await beLoggedIn(page, server, owner)
  await page.goto('/settings?part=account')
  await button(page, text('replace.label', { sn: old })).click()
  await enterKey(page, next)
  await button(dialog(page), text('replace.submit')).click()
  await expect(dialog(page)).toContainText(text('replace.waiting'))
  await expectGoodEverywhere(page, [PHONE])
  // Nothing has happened yet. Behind an open dialog elements have no role.
  await expect(page.locator('main')).toContainText(old)
})

test('an electrician with service replaces a unit from its page, and the owner is notified', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  const [old = ''] = owner.serials
  const electrician = await server.newElectrician()
  const owners = { Authorization: `Bearer ${(await server.logIn(owner)).access}` }
  const theirs = { Authorization: `Bearer ${(await server.logIn(electrician)).access}` }
  const invitation = { sn: old, email: electrician.email, scope: 'service', password: owner.password }
  const invited = await server.post('/api/auth/grant/', invitation, 201, owners)
  const { grants } = (await invited.json()) as { grants: { id: number }[] }
  await server.post(`/api/auth/grant/${grants[0]?.id}/accept/`, {}, 200, theirs)
  const spare = await server.newSite()
  const [next = ''] = spare.serials

  await beLoggedIn(page, server, electrician)
  await page.goto(`/electrician-dashboard/${old}`)
  await settled(page)
  await page.setViewportSize(PHONE)
  await expectNoSidewaysScroll(page)
  await button(page, text('replace.label', { sn: old })).click()
  await enterKey(page, await server.installerCode(next))
  await expect(dialog(page)).toContainText(text('replace.confirm', { sn: old, unit: next }))
  await expectAccessible(page)
  // A poll that began before the answer may still contain the old unit, a later one may not.
  const lost: string[] = []
  const earlyPolls = new Set<Request>()
  let answered = false
  page.on('request', (asked) => {
    if (!answered && asked.url().includes('has_update')) earlyPolls.add(asked)
  })
  page.on('response', (answer) => {
    const asked = answer.request()
    if (asked.method() === 'POST') answered = true
    if (answer.status() === 404 && !earlyPolls.has(asked)) lost.push(answer.url())
  })
  await button(dialog(page), text('replace.submit')).click()
  await page.waitForURL(`**/electrician-dashboard/${next}?*`)
  await expect(heading(page)).toContainText(next)
  const commission = page.getByRole('link', { name: text('replace.commission.begin'), exact: true })
  await expect(commission).toHaveAttribute('href', `/electrician-dashboard/${next}/commissioning`)
  await settled(page)
  expect(lost).toEqual([])
  const told = async () => (await server.mails(owner.email)).map(({ subject }) => subject)
  await expect.poll(told).toContain('Ihr Speicher wurde ausgetauscht')
})
