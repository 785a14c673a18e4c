/** Access by consent: an owner gives an electrician access, both see it, and either side ends it. */
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll, NARROW } from './harness/axe.ts'
import type { Account, Server } from './harness/server.ts'
import { beLoggedIn, button, heading, seeAll, sendRegistration, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

// Animated menus and dialogs, as most people see them.
test.use({ contextOptions: { reducedMotion: 'no-preference' } })

const COMPANY = 'Elektro Blitz'
const dialog = (page: Page) => page.getByRole('dialog')
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const deed = (page: Page, name: string, whom: string, sn: string) =>
  button(page, text('grants.deed_label', { deed: name, name: whom, sn }))

async function openGrants(page: Page, server: Server, account: Account) {
  await beLoggedIn(page, server, account)
  await page.goto(account.role === 'user' ? '/settings#grants' : '/electrician-settings#grants')
  await expect(heading(page)).toBeVisible()
  await settled(page)
}

/** Gives an electrician access without a browser. */
async function grant(server: Server, owner: Account, electrician: Account, scope: string) {
  const owners = { Authorization: `Bearer ${(await server.logIn(owner)).access}` }
  const theirs = { Authorization: `Bearer ${(await server.logIn(electrician)).access}` }
  const invitation = { sn: '-1', email: electrician.email, scope, password: owner.password }
  await server.post('/api/auth/grant/', invitation, 201, owners)
  const held = await fetch(`${server.url}/api/auth/grant/`, { headers: theirs })
  const { held: grants } = (await held.json()) as { held: { id: number }[] }
  for (const { id } of grants) await server.post(`/api/auth/grant/${id}/accept/`, {}, 200, theirs)
}

test('an invited electrician accepts, sees the system, and loses it once the owner ends the access', async ({
  page,
  server,
  otherBrowser,
}) => {
  const owner = await server.newOwner()
  const electrician = await server.newElectrician(COMPANY)
  const [sn = ''] = owner.serials
  await openGrants(page, server, owner)
  await button(page, text('grants.electricians.invite')).click()
  await expectAccessible(page)
  await dialog(page).getByLabel(text('grants.email'), { exact: true }).fill(electrician.email)
  await dialog(page).getByLabel(text('form.current_password'), { exact: true }).fill(owner.password)
  await button(dialog(page), text('grants.invite.submit')).click()
  await expect(dialog(page)).toBeHidden()
  await expect(card(page, text('grants.electricians'))).toContainText(text('grants.state.invited'))

  const theirs = await otherBrowser()
  const link = await server.linkMailedTo(electrician.email, '#grants')
  await beLoggedIn(theirs, server, electrician)
  await theirs.goto(link)
  await theirs.getByRole('button', { name: text('grants.accept') }).click()
  await expect(card(theirs, text('grants.held'))).toContainText(sn)
  await expectAccessible(theirs)
  await theirs.goto('/electrician-dashboard')
  await theirs.getByRole('link', { name: sn }).click()
  await theirs.waitForURL(`**/electrician-dashboard/${sn}`)
  await expect(theirs.getByText(text('fleet.scope.service.text'))).toBeVisible()

  await page.reload()
  await expect(card(page, text('grants.electricians'))).toContainText(COMPANY)
  await deed(page, text('grants.end'), COMPANY, sn).click()
  await expect(dialog(page)).toContainText(text('grants.end.text', { name: COMPANY, sn }))
  await button(dialog(page), text('grants.end')).click()
  await expect(page.getByText(text('grants.electricians.none'))).toBeVisible()
  // Waits for the event of the open stream: if the list of systems has changed, a reload leads to the
  // dashboard.
  await expect(theirs.getByText(text('fleet.gone'))).toBeVisible()
  await theirs.reload()
  await expect(theirs.getByText(text('fleet.gone'))).toBeVisible()
})

test('an electrician asks by serial number, and the owner decides about scope and last day', async ({
  page,
  server,
  otherBrowser,
}) => {
  const owner = await server.newOwner()
  const electrician = await server.newElectrician(COMPANY)
  const [sn = ''] = owner.serials
  const theirs = await otherBrowser()
  await openGrants(theirs, server, electrician)
  await theirs.getByLabel(text('ask.serials'), { exact: true }).fill(sn)
  await button(theirs, text('grants.ask.submit')).click()
  await expect(card(theirs, text('grants.held'))).toContainText(text('grants.state.asked'))

  await openGrants(page, server, owner)
  await deed(page, text('grants.approve'), COMPANY, sn).click()
  await dialog(page)
    .getByRole('radio', { name: text('grants.scope.monitor') })
    .check()
  await dialog(page).getByLabel(text('form.current_password'), { exact: true }).fill(owner.password)
  await button(dialog(page), text('grants.approve')).click()
  await expect(dialog(page)).toBeHidden()
  await expect(card(page, text('grants.electricians'))).toContainText(text('grants.scope.monitor'))
  // By the list: if the list of systems has changed, the app starts there whatever page is opened.
  await theirs.goto('/electrician-dashboard')
  await theirs.getByRole('link', { name: sn }).click()
  await expect(theirs.getByText(text('fleet.scope.monitor.text'))).toBeVisible()
})

test('the answer is the same for a serial number that does not exist', async ({ page, server }) => {
  await openGrants(page, server, await server.newElectrician())
  const said: (string | null)[] = []
  const { serials } = await server.newOwner()
  for (const sn of [serials[0] ?? '', 'ZZ99ZZ99']) {
    await page.getByLabel(text('ask.serials'), { exact: true }).fill(sn)
    await button(page, text('grants.ask.submit')).click()
    const answer = card(page, text('grants.ask')).getByRole('status')
    await expect(card(page, text('grants.held'))).toContainText(sn)
    said.push(await answer.textContent())
  }
  expect(said[0]).toBe(said[1])
})

test('a house is handed over: the new owner registers by the mailed link', async ({
  page,
  server,
  otherBrowser,
}) => {
  const owner = await server.newOwner(2)
  const [sn = '', kept = ''] = owner.serials
  await openGrants(page, server, owner)
  await button(page, text('grants.handover.begin')).click()
  await expectAccessible(page)
  const buyer = server.nextAccount('user')
  await dialog(page).getByLabel(text('grants.system'), { exact: true }).selectOption(sn)
  await dialog(page).getByLabel(text('grants.handover.email'), { exact: true }).fill(buyer.email)
  await dialog(page).getByLabel(text('form.current_password'), { exact: true }).fill(owner.password)
  await button(dialog(page), text('grants.handover.submit')).click()
  await expect(card(page, text('grants.handover'))).toContainText(buyer.email)

  const theirs = await otherBrowser()
  await theirs.goto(await server.linkMailedTo(buyer.email, '#key='))
  await expect(theirs.locator('input[name=sn1]')).not.toHaveValue('')
  expect(theirs.url()).not.toContain('key=')
  await sendRegistration(theirs, { account: buyer })
  await expect(theirs.getByText(sn)).toBeVisible()

  await page.goto('/dashboard')
  await seeAll(page)
  await expect(page.getByRole('main').getByText(kept)).toBeVisible()
  await expect(page.getByRole('main').getByText(sn)).toBeHidden()
})

test('the fleet is searched, filtered and sorted, and a link restores it', async ({ page, server }) => {
  const owner = await server.newOwner(3)
  const [first = '', second = ''] = owner.serials
  const electrician = await server.newElectrician()
  await grant(server, owner, electrician, 'configure')
  await beLoggedIn(page, server, electrician)
  await page.goto('/electrician-dashboard')
  const table = page.getByRole('table')
  await expect(table.getByRole('link')).toHaveCount(3)
  await expectAccessible(page)
  // They have never reported: no power is shown, not even zero.
  await expect(table.getByRole('row', { name: first })).not.toContainText(/\dW/)
  await page.getByRole('searchbox').fill(second.toLowerCase())
  await expect(table.getByRole('link')).toHaveText([second])
  await page.reload()
  await expect(table.getByRole('link')).toHaveText([second])
  await page.getByRole('searchbox').fill('')
  await button(table, text('fleet.column.sn')).click()
  await button(table, text('fleet.column.sn')).click()
  await expect(table.getByRole('link')).toHaveText([...owner.serials].reverse())
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    button(page, text('fleet.csv')).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^suncellar-\d{4}-\d{2}-\d{2}\.csv$/)

  await page.setViewportSize(NARROW)
  await expect(page.getByRole('table')).toBeHidden()
  await expect(page.getByRole('link', { name: first })).toBeVisible()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})

test('the end user’s name is changed on the system page', async ({ page, server }) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  const electrician = await server.newElectrician()
  await grant(server, owner, electrician, 'configure')
  await beLoggedIn(page, server, electrician)
  await page.goto(`/electrician-dashboard/${sn}`)
  await expect(heading(page)).toBeVisible()
  await settled(page)
  await expectAccessible(page)
  await button(page, text('fleet.end_user.change')).click()
  await dialog(page).getByLabel(text('end_user.first_name'), { exact: true }).fill('Katrin')
  await dialog(page).getByLabel(text('end_user.last_name'), { exact: true }).fill('<b>Albers</b>')
  await button(dialog(page), text('account.save')).click()
  await expect(heading(page)).toHaveText('Katrin <b>Albers</b>')
  await page.setViewportSize(NARROW)
  await expectNoSidewaysScroll(page)
})
