/**
 * Setting batches of an electrician: dry run, save with a result for each system, undo; templates; look-only
 * access.
 */
import type { Locator, Page } from '@playwright/test'
import { DESK, expectAccessible, expectGoodEverywhere, expectNoSidewaysScroll, PHONE } from './harness/axe.ts'
import type { Account, Server } from './harness/server.ts'
import { EVERY_SIZE, field, readSettings, setByApi } from './harness/settings.ts'
import { beLoggedIn, button, heading, seeAll, sendRegistration, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { type MessageId, text } from './harness/texts.ts'

const card = (page: Page, id: MessageId) => page.getByRole('region', { name: text(id), exact: true }).first()
const tick = (page: Page | Locator, name: string) => page.getByRole('checkbox', { name, exact: true })
const box = (page: Page, id: MessageId) =>
  page.getByLabel(text('batch.new_value', { setting: text(id) }), { exact: true })
const row = (page: Page | Locator, sn: string) => page.locator('li[data-result]').filter({ hasText: sn })
const dialog = (page: Page) => page.getByRole('dialog')

async function grant(server: Server, owner: Account, electrician: Account, scope: string) {
  const owners = { Authorization: `Bearer ${(await server.logIn(owner)).access}` }
  const theirs = { Authorization: `Bearer ${(await server.logIn(electrician)).access}` }
  const invitation = { sn: '-1', email: electrician.email, scope, password: owner.password }
  await server.post('/api/auth/grant/', invitation, 201, owners)
  const { held } = await server.get<{ held: { id: number; state: string }[] }>(
    '/api/auth/grant/',
    electrician,
  )
  for (const { id } of held.filter(({ state }) => state === 'invited'))
    await server.post(`/api/auth/grant/${id}/accept/`, {}, 200, theirs)
}

async function openBatch(page: Page, server: Server, electrician: Account) {
  await beLoggedIn(page, server, electrician)
  await page.goto('/electrician-settings')
  await expect(card(page, 'batch.systems')).toBeVisible()
  await settled(page)
}

test('a change is tried, made at the systems that accept it, and undone except for what was changed since', async ({
  page,
  server,
}) => {
  const anna = await server.newOwner(2)
  const ben = await server.newOwner()
  const eva = await server.newElectrician()
  await grant(server, anna, eva, 'service')
  await grant(server, ben, eva, 'configure')
  const [first = '', second = ''] = anna.serials
  const [bens = ''] = ben.serials

  // From the fleet, with its selected systems.
  await beLoggedIn(page, server, eva)
  await page.goto('/electrician-dashboard')
  const table = page.getByRole('table')
  await expect(table.getByRole('link')).toHaveCount(3)
  await table.getByRole('checkbox').first().check()
  await page.getByRole('link', { name: text('fleet.change_settings'), exact: true }).click()
  await page.waitForURL('**/electrician-settings?*')
  await settled(page)
  for (const sn of [first, second, bens])
    await expect(page.getByRole('checkbox', { name: new RegExp(sn) })).toBeChecked()

  await tick(page, text('setting.reserve_soc')).check()
  await box(page, 'setting.reserve_soc').fill('135')
  await button(page, text('batch.try')).click()
  await expect(box(page, 'setting.reserve_soc')).toBeFocused()
  await box(page, 'setting.reserve_soc').fill('35')
  await page.getByRole('button', { name: new RegExp(`^${text('settings.group.device')}`) }).click()
  await tick(page, text('setting.charge_limit')).check()
  await box(page, 'setting.charge_limit').fill('3000')
  await button(page, text('batch.try')).click()
  const tried = card(page, 'batch.tried')
  await expect(row(tried, first)).toContainText(/10\s%.*35\s%/)
  await expect(row(tried, first)).toContainText(text('batch.word.tried.changed'))
  await expect(row(tried, bens)).toContainText(text('batch.word.tried.refused'))
  expect((await readSettings(server, anna, first)).desired.reserve_soc).toBe(10)
  await expectGoodEverywhere(page, EVERY_SIZE)
  await page.setViewportSize(DESK)

  await button(tried, 'An 2 Anlagen ändern').click()
  const done = card(page, 'batch.result')
  await expect(row(done, first)).toContainText(text('batch.word.result.changed'))
  await expect(row(done, second)).toContainText(text('batch.word.result.changed'))
  await expect(row(done, bens)).toContainText(text('batch.word.result.refused'))
  await expect(row(done, bens)).toContainText(text('setting.charge_limit'))
  expect((await readSettings(server, anna, second)).desired.reserve_soc).toBe(35)
  expect((await readSettings(server, ben, bens)).desired.reserve_soc).toBe(10)

  // The owner changes one of them; after a reload the others can still be undone.
  await setByApi(server, anna, second, { reserve_soc: '60' })
  await page.reload()
  await settled(page)
  await card(page, 'batch.history').getByRole('button').click()
  await expect(row(dialog(page), second)).toContainText(text('batch.left.changed_since'))
  await expectAccessible(page)
  await button(dialog(page), text('batch.undo')).click()
  await expect(row(dialog(page), first)).toContainText(text('batch.word.result.changed'))
  await button(dialog(page), text('ui.close')).last().click()
  expect((await readSettings(server, anna, first)).desired.reserve_soc).toBe(10)
  expect((await readSettings(server, anna, second)).desired).toMatchObject({
    reserve_soc: 60,
    charge_limit: 4200,
  })
  await expect(card(page, 'batch.history').getByRole('button')).toHaveCount(0)
})

test('a template is saved, used for another system, renamed and deleted', async ({ page, server }) => {
  const owner = await server.newOwner()
  const eva = await server.newElectrician()
  await grant(server, owner, eva, 'configure')
  await openBatch(page, server, eva)
  await tick(page, text('setting.reserve_soc')).check()
  await box(page, 'setting.reserve_soc').fill('40')
  await button(page, text('batch.template.create')).click()
  await expectAccessible(page)
  await dialog(page).getByLabel(text('batch.template.name'), { exact: true }).fill('Winter')
  await button(dialog(page), text('account.save')).click()
  await expect(dialog(page)).toBeHidden()
  await expect(card(page, 'batch.templates')).toContainText('Winter')

  await page.reload()
  await settled(page)
  await button(page, text('batch.template.use.label', { name: 'Winter' })).click()
  await expect(box(page, 'setting.reserve_soc')).toHaveValue('40')
  await page.getByRole('checkbox', { name: new RegExp(owner.serials[0] ?? '') }).check()
  await button(page, text('batch.try')).click()
  await expect(row(page, owner.serials[0] ?? '')).toContainText(/40\s%/)

  await button(page, text('batch.template.rename.label', { name: 'Winter' })).click()
  await dialog(page).getByLabel(text('batch.template.name'), { exact: true }).fill('Frost')
  await button(dialog(page), text('account.save')).click()
  await expect(dialog(page)).toBeHidden()
  await button(page, text('batch.template.delete.label', { name: 'Frost' })).click()
  await button(dialog(page), text('batch.template.delete')).click()
  await expect(page.getByText(text('batch.templates.none'))).toBeVisible()
  await page.setViewportSize(PHONE)
  await expectNoSidewaysScroll(page)
})

test('names and groups are changed beside the settings', async ({ page, server }) => {
  const owner = await server.newOwner()
  const eva = await server.newElectrician()
  await grant(server, owner, eva, 'configure')
  await beLoggedIn(page, server, eva)
  await page.goto('/electrician-settings?part=systems')
  await settled(page)
  await page.getByLabel(text('end_user.first_name'), { exact: true }).fill('Katrin')
  await page.getByLabel(text('end_user.last_name'), { exact: true }).fill('Albers')
  const names = page.getByRole('region', { name: text('end_user.title'), exact: true })
  await button(names, text('account.save')).click()
  await expect(page.getByText(text('end_user.saved'))).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize(PHONE)
  await expectNoSidewaysScroll(page)
})

test('a member who only looks reads the settings and finds no form to fill in', async ({ page, server }) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  const member = server.nextAccount('user')
  const owners = { Authorization: `Bearer ${(await server.logIn(owner)).access}` }
  const invitation = { sn, email: member.email, scope: 'look', password: owner.password }
  await server.post('/api/auth/grant/', invitation, 201, owners)
  await page.goto(await server.linkMailedTo(member.email, '#key='))
  await sendRegistration(page, { account: member })
  await expect(page.getByText(sn)).toBeVisible()

  await beLoggedIn(page, server, member)
  await page.goto('/settings')
  await expect(heading(page)).toBeVisible()
  await settled(page)
  await expect(page.getByText(text('look.text')).first()).toBeVisible()
  await expect(field(page, 'reserve_soc')).toBeDisabled()
  await expect(button(page, text('settings.reset'))).toHaveCount(0)
  await expect(button(page, text('command.auto'))).toHaveCount(0)
  await expectAccessible(page)
  await page.goto('/settings?part=prices')
  await settled(page)
  await expect(page.getByText(text('look.text')).first()).toBeVisible()
  await expect(page.locator('main form')).toHaveCount(0)
  await expect(field(page, 'provider')).toBeDisabled()
  await page.goto('/update')
  await settled(page)
  await expect(page.getByText(text('look.text'))).toBeVisible()
  await page.goto('/dashboard')
  await seeAll(page)
  await expect(page.getByRole('heading', { name: text('money.title'), exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: text('money.enter') })).toHaveCount(0)
  await expect(page.getByRole('link', { name: text('money.change') })).toHaveCount(0)
})
