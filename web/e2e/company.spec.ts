/**
 * A company's members: an invitation, joining, the fleet without the company's page, and removal with
 * immediate effect.
 */
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll, NARROW } from './harness/axe.ts'
import { type Account, PASSWORD } from './harness/server.ts'
import { beLoggedIn, button, heading, sendLogin, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

const COMPANY = 'Elektro Blitz'
const NAME = 'Tina Muster'
const dialog = (page: Page) => page.getByRole('dialog')
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const parts = (page: Page) => page.getByRole('navigation', { name: text('settings.parts') })

test('a technician joins by the mailed link, sees the fleet and not the members, and loses access at once when removed', async ({
  page,
  server,
  otherBrowser,
}) => {
  const owner = await server.newOwner()
  const boss = await server.newElectrician(COMPANY)
  const [sn = ''] = owner.serials
  const owners = { Authorization: `Bearer ${(await server.logIn(owner)).access}` }
  const headers = { Authorization: `Bearer ${(await server.logIn(boss)).access}` }
  const invitation = { sn, email: boss.email, scope: 'service', password: owner.password }
  await server.post('/api/auth/grant/', invitation, 201, owners)
  const grants = await fetch(`${server.url}/api/auth/grant/`, { headers })
  const { held } = (await grants.json()) as { held: { id: number }[] }
  await server.post(`/api/auth/grant/${held[0]?.id}/accept/`, {}, 200, headers)

  const tina: Account = { email: `tina-${boss.email}`, password: PASSWORD, role: 'electrician' }
  await beLoggedIn(page, server, boss)
  await page.goto('/electrician-settings?part=company')
  await expect(card(page, COMPANY)).toContainText(boss.email)
  await button(page, text('company.invite')).click()
  await expectAccessible(page)
  await dialog(page).getByLabel(text('form.email'), { exact: true }).fill(tina.email)
  await dialog(page).getByLabel(text('company.role'), { exact: true }).selectOption('technician')
  await dialog(page).getByLabel(text('form.current_password'), { exact: true }).fill(PASSWORD)
  await button(dialog(page), text('company.invite.submit')).click()
  await expect(card(page, text('company.invited'))).toContainText(tina.email)
  await expectAccessible(page)

  const theirs = await otherBrowser()
  const link = await server.linkMailedTo(tina.email, '#token=')
  await theirs.goto(link)
  await expect(heading(theirs)).toContainText(COMPANY)
  await theirs.getByLabel(text('form.name'), { exact: true }).fill(NAME)
  await theirs.getByLabel(text('form.password'), { exact: true }).fill(PASSWORD)
  await theirs.getByLabel(text('form.repeat_password'), { exact: true }).fill(PASSWORD)
  await theirs.getByLabel(text('form.country'), { exact: true }).selectOption('DE')
  await theirs.getByLabel(text('form.phone'), { exact: true }).fill('030 901820')
  await theirs.getByRole('checkbox').check()
  await expectAccessible(theirs)
  await button(theirs, text('join.submit')).click()
  await theirs.waitForURL('**/login')
  await theirs.getByLabel(text('form.email'), { exact: true }).fill(tina.email)
  await theirs.getByLabel(text('form.password'), { exact: true }).fill(PASSWORD)
  await button(theirs, text('login.submit')).click()
  await theirs.waitForURL('**/electrician-dashboard')
  await expect(theirs.getByRole('link', { name: sn })).toBeVisible()
  await theirs.goto('/electrician-settings?part=company')
  await settled(theirs)
  await expect(parts(theirs).getByRole('link', { name: text('settings.part.grants') })).toBeVisible()
  await expect(parts(theirs).getByRole('link', { name: text('settings.part.company') })).toHaveCount(0)
  await theirs.goto(`/electrician-dashboard/${sn}`)
  await expect(theirs.getByText(text('fleet.scope.service.text'))).toBeVisible()

  await page.reload()
  await expect(card(page, COMPANY)).toContainText(NAME)
  await expect(card(page, text('company.invited'))).toContainText(text('company.invited.none'))
  await page.setViewportSize(NARROW)
  await expectNoSidewaysScroll(page)
  await button(page, text('company.remove.label', { name: NAME })).click()
  await dialog(page).getByLabel(text('form.current_password'), { exact: true }).fill(PASSWORD)
  await button(dialog(page), text('company.remove')).click()
  await expect(card(page, COMPANY)).not.toContainText(NAME)
  // Without a reload: the open stream ends, and the next request is refused.
  await expect(theirs.getByRole('dialog', { name: text('logged_out.title') })).toBeVisible()

  // A login still works: the account is on its own, without the company's systems.
  await button(theirs, text('logged_out.ok')).click()
  await theirs.goto('/login')
  await sendLogin(theirs, tina)
  await theirs.waitForURL('**/electrician-dashboard')
  await expect(heading(theirs)).toBeVisible()
  await settled(theirs)
  await expect(theirs.getByRole('link', { name: sn })).toHaveCount(0)
})
