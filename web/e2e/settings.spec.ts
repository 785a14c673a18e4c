/** Settings without a battery: validation, confirmations, several systems, two people. */
import { expectGoodEverywhere } from './harness/axe.ts'
import { tabTo } from './harness/keyboard.ts'
import { PASSWORD } from './harness/server.ts'
import {
  EVERY_SIZE,
  field,
  openGroup,
  openPrices,
  openSettings,
  readSettings,
  sendChanges,
  setByApi,
} from './harness/settings.ts'
import { beLoggedIn, button, heading, settled, storedTokens } from './harness/steps.ts'
import { everythingStored } from './harness/stored.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

test('an invalid meter address is rejected at its field, a reserved one is accepted with a warning', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  await openSettings(page, server, owner)
  await openGroup(page, 'meter')
  await field(page, 'meter_address').fill('251')
  await button(page, text('settings.review')).click()
  await expect(field(page, 'meter_address')).toBeFocused()
  await expect(page.getByText(text('field.address_range'))).toBeVisible()
  await field(page, 'meter_address').fill('250')
  await expect(page.getByText(text('settings.address_reserved'))).toBeVisible()
  await sendChanges(page, { password: PASSWORD })
  await expect(page.getByText(text('settings.saved')).first()).toBeVisible()
  expect((await readSettings(server, owner, sn)).desired.meter_address).toBe(250)
})

test('above 4.2 kW the notice under §14a has to be acknowledged, and that is stored', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  await openSettings(page, server, owner)
  await openGroup(page, 'device')
  await field(page, 'charge_limit').fill('6000')
  await button(page, text('settings.review')).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText(text('settings.notice_14a'))).toBeVisible()
  await dialog.getByLabel(text('form.current_password'), { exact: true }).fill(PASSWORD)
  await button(dialog, text('settings.send')).click()
  await expect(dialog.getByText(text('field.acknowledge_14a'))).toBeVisible()
  expect((await readSettings(server, owner, sn)).acknowledged_at).toBeNull()
  await dialog.getByRole('checkbox').check()
  await button(dialog, text('settings.send')).click()
  await expect(dialog).toBeHidden()
  const saved = await readSettings(server, owner, sn)
  expect(saved.desired.charge_limit).toBe(6_000)
  expect(saved.acknowledged_at).not.toBeNull()
})

test('a wrong password changes nothing in the wiring', async ({ page, server }) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  await openSettings(page, server, owner)
  await openGroup(page, 'device')
  await page.getByRole('switch', { name: text('setting.emergency_power'), exact: true }).check()
  await button(page, text('settings.review')).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(text('form.current_password'), { exact: true }).fill('Wrong-password-1')
  await button(dialog, text('settings.send')).click()
  await expect(dialog.getByText(text('field.password_wrong'))).toBeVisible()
  expect((await readSettings(server, owner, sn)).desired.emergency_power).toBe(false)
})

test('a token that is too short is rejected, and of a valid one only the end is shown again', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  const token = 'a-token-of-the-provider-1a2b'
  await openPrices(page, server, owner)
  await field(page, 'provider').selectOption('tibber')
  await field(page, 'provider_token').fill('too-short')
  await button(page, text('settings.review')).click()
  await expect(field(page, 'provider_token')).toBeFocused()
  await expect(page.getByText(text('field.token_too_short'))).toBeVisible()
  await field(page, 'provider_token').fill(token)
  await sendChanges(page)
  await expect(page.getByText('…1a2b', { exact: false })).toBeVisible()
  await expect(field(page, 'provider_token')).toHaveValue('')
  await page.reload()
  await settled(page)
  await expect(page.getByText('…1a2b', { exact: false })).toBeVisible()
  expect(await everythingStored(page)).not.toContain('1a2b')
})

test('of several systems some accept a change, and the one that does not says why', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner(2)
  const [rated = '', unknown = ''] = owner.serials
  // Only the first has reported its maximum.
  const battery = server.connectBattery(owner, 1)
  await expect.poll(async () => (await readSettings(server, owner, rated)).reported_at).not.toBeNull()
  await openPrices(page, server, owner)
  await field(page, 'charge_power').fill('20000')
  await sendChanges(page)
  const failed = page.getByRole('alert')
  await expect(failed).toContainText(text('settings.save_failed'))
  await expect(failed).toContainText(rated)
  await expect(failed).not.toContainText(unknown)
  await expect(page.getByRole('checkbox', { name: rated })).toBeChecked()
  await expect(page.getByRole('checkbox', { name: unknown })).not.toBeChecked()
  expect((await readSettings(server, owner, unknown)).desired.charge_power).toBe(20_000)
  expect((await readSettings(server, owner, rated)).desired.charge_power).not.toBe(20_000)
  await expectGoodEverywhere(page, EVERY_SIZE)
  await battery.unplug()
})

test('reset restores the defaults, and the wiring only if requested', async ({ page, server }) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  await setByApi(server, owner, sn, { reserve_soc: '55', emergency_power: 'true' })
  await openSettings(page, server, owner)
  await expect(field(page, 'reserve_soc')).toHaveValue('55')
  const dialog = page.getByRole('dialog')
  await button(page, text('settings.reset')).click()
  await button(dialog, text('settings.reset')).click()
  await expect(dialog).toBeHidden()
  await expect(field(page, 'reserve_soc')).toHaveValue('10')
  expect((await readSettings(server, owner, sn)).desired.emergency_power).toBe(true)

  await button(page, text('settings.reset')).click()
  await dialog.getByRole('checkbox').check()
  await dialog.getByLabel(text('form.current_password'), { exact: true }).fill(PASSWORD)
  await button(dialog, text('settings.reset')).click()
  await expect(dialog).toBeHidden()
  expect((await readSettings(server, owner, sn)).desired.emergency_power).toBe(false)
})

test('of two who edit at once the second is informed, sees both values and loses nothing', async ({
  page,
  server,
  otherBrowser,
}) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  await openSettings(page, server, owner)
  await field(page, 'reserve_soc').fill('50')
  const other = await otherBrowser()
  await openSettings(other, server, owner)
  await field(other, 'reserve_soc').fill('30')
  await sendChanges(other)

  await expect(page.getByText(text('settings.conflict.own'), { exact: true })).toBeVisible()
  await expect(page.getByText(/von 10\s% auf 30\s% geändert\. Ihre Eingabe: 50\./)).toBeVisible()
  await expect(field(page, 'reserve_soc')).toHaveValue('50')
  expect((await readSettings(server, owner, sn)).desired.reserve_soc).toBe(30)
  await expectGoodEverywhere(page, EVERY_SIZE)
  await button(page, text('settings.conflict.mine')).click()
  await sendChanges(page)
  expect((await readSettings(server, owner, sn)).desired.reserve_soc).toBe(50)
  await expect(field(other, 'reserve_soc')).toHaveValue('50')
})

test('unsent changes are not lost by leaving the page', async ({ page, server }) => {
  await openSettings(page, server, await server.newOwner())
  await field(page, 'reserve_soc').fill('50')
  await page.getByRole('link', { name: text('settings.part.journal'), exact: true }).click()
  const dialog = page.getByRole('dialog')
  await button(dialog, text('settings.leave.stay')).click()
  await expect(dialog).toBeHidden()
  await expect(field(page, 'reserve_soc')).toHaveValue('50')
  await page.getByRole('link', { name: text('settings.part.journal'), exact: true }).click()
  await button(dialog, text('settings.leave.go')).click()
  await expect(page.getByRole('heading', { name: text('journal.title') })).toBeVisible()
})

test('settings are cached for each device and shown when they cannot be loaded', async ({ page, server }) => {
  const owner = await server.newOwner(2)
  const [first = '', second = ''] = owner.serials
  for (const sn of owner.serials) await setByApi(server, owner, sn, { reserve_soc: '45' })
  await openSettings(page, server, owner)
  const keys = await page.evaluate(() =>
    Object.keys(localStorage).filter((key) => key.startsWith('settings_')),
  )
  expect(keys.sort()).toEqual([`settings_${first}`, `settings_${second}`])
  await page.route('**/api/auth/settings/**', (route) =>
    route.fulfill({ status: 403, json: { detail: 'Nein.', code: 'forbidden' } }),
  )
  await page.reload()
  await expect(page.getByText(text('settings.load_failed'))).toBeVisible()
  await expect(field(page, 'reserve_soc')).toHaveValue('45')
})

test('first and last name of the user are required and saved', async ({ page, server }) => {
  const owner = await server.newOwner()
  await beLoggedIn(page, server, owner)
  await page.goto('/settings?part=site')
  const card = page.getByRole('region', { name: text('end_user.title') })
  await card.getByLabel(text('end_user.first_name'), { exact: true }).fill('Anna')
  await button(card, text('account.save')).click()
  await expect(card.getByLabel(text('end_user.last_name'), { exact: true })).toBeFocused()
  await card.getByLabel(text('end_user.last_name'), { exact: true }).fill('Berg')
  await button(card, text('account.save')).click()
  await expect(page.getByText(text('end_user.saved'))).toBeVisible()
  const [system] = await server.get<{ first_name: string; last_name: string }[]>('/api/auth/usr_sn/', owner)
  expect([system?.first_name, system?.last_name]).toEqual(['Anna', 'Berg'])
})

test('the keyboard alone changes a setting', async ({ page, server }) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  await openSettings(page, server, owner)
  await tabTo(page, 'textbox', text('setting.reserve_soc'))
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('42')
  await tabTo(page, 'button', text('settings.review'))
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await tabTo(page, 'button', text('settings.send'))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeHidden()
  expect((await readSettings(server, owner, sn)).desired.reserve_soc).toBe(42)
})

test('role=electrician in local storage yields no settings, commands or journal of anybody', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  const stranger = await server.newOwner()
  const [foreign = ''] = stranger.serials
  await beLoggedIn(page, server, owner)
  await page.evaluate(() => localStorage.setItem('role', 'electrician'))
  await page.goto('/settings')
  await page.waitForURL('**/electrician-settings')
  await expect(heading(page)).toBeVisible()
  await settled(page)
  await expect(page.getByRole('heading', { name: text('settings.title') })).toBeHidden()
  expect(await page.locator('body').textContent()).not.toContain(foreign)
  const { access } = await storedTokens(page)
  const headers = { Authorization: `Bearer ${access}` }
  for (const path of ['settings', 'journal']) {
    const answer = await fetch(`${server.url}/api/auth/${path}/?sn=${foreign}`, { headers })
    expect(answer.status).toBe(404)
  }
  const order = { sn: foreign, command: 'switch_off', key: 'a-foreign-order' }
  await server.post('/api/auth/command/', order, 404, headers)
})
