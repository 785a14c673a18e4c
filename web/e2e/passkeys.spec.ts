/** Passkeys: created, named and removed in the settings, used as login and as second factor. */
import type { Page } from '@playwright/test'
import { setUpTotp } from './harness/authenticator.ts'
import { DESK, expectAccessible, expectGoodEverywhere, NARROW } from './harness/axe.ts'
import { tabTo } from './harness/keyboard.ts'
import { Device } from './harness/passkey.ts'
import type { Account, Server } from './harness/server.ts'
import { beLoggedIn, button, homeOf, logOutByMenu, sendLogin, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

test.use({ movesClock: 'hours' })

const dialog = (page: Page) => page.getByRole('dialog')
const card = (page: Page) => page.getByRole('region', { name: text('passkey.title'), exact: true })
const nameField = (page: Page) => page.getByLabel(text('passkey.name'), { exact: true })
const password = (page: Page) => dialog(page).getByLabel(text('form.current_password'), { exact: true })

async function openAccount(page: Page, account: Account) {
  const settings = account.role === 'electrician' ? '/electrician-settings' : '/settings'
  await page.goto(`${settings}?part=account`)
  await settled(page)
}

/** Adds one on the account page. */
async function add(page: Page, account: Account, name: string) {
  await button(card(page), text('passkey.add')).click()
  await password(page).fill(account.password)
  await button(dialog(page), text('totp.begin')).click()
  await expect(nameField(page)).toBeFocused()
  await nameField(page).fill(name)
  await button(dialog(page), text('passkey.create')).click()
  await expect(dialog(page)).toBeHidden()
  await expect(card(page)).toContainText(name)
}

async function subjects(server: Server, { email }: Account) {
  return (await server.mails(email)).map(({ subject }) => subject)
}

test('an owner adds one, names it, logs in with it alone, and removes it', async ({ page, server }) => {
  const owner = await server.newOwner()
  const device = await Device.at(page)
  await beLoggedIn(page, server, owner)
  await openAccount(page, owner)
  await expect(card(page)).toContainText(text('passkey.none'))
  await button(card(page), text('passkey.add')).click()
  await expectGoodEverywhere(page, [DESK, NARROW])
  await page.setViewportSize(DESK)
  await password(page).fill('Falsch-123!')
  await button(dialog(page), text('totp.begin')).click()
  await expect(dialog(page).getByRole('alert')).toBeVisible()
  await password(page).fill(owner.password)
  await button(dialog(page), text('totp.begin')).click()
  await expect(nameField(page)).toBeFocused()
  await expectGoodEverywhere(page, [DESK, NARROW])
  await page.setViewportSize(DESK)
  await nameField(page).fill('Laptop')
  await nameField(page).press('Enter')
  await expect(dialog(page)).toBeHidden()
  await expect(card(page)).toContainText(text('passkey.unused'))
  expect(await device.passkeys()).toHaveLength(1)
  await button(card(page), text('passkey.rename_label', { name: 'Laptop' })).click()
  await nameField(page).fill('Büro')
  await button(dialog(page), text('passkey.rename')).click()
  await expect(card(page)).toContainText('Büro')
  await expectAccessible(page)
  // A device creates only one per account.
  await button(card(page), text('passkey.add')).click()
  await password(page).fill(owner.password)
  await button(dialog(page), text('totp.begin')).click()
  await nameField(page).fill('Noch einer')
  await button(dialog(page), text('passkey.create')).click()
  await expect(dialog(page).getByRole('alert')).toHaveText(new RegExp(text('passkey.problem.exists')))
  await page.keyboard.press('Escape')
  await logOutByMenu(page)

  // With the keyboard alone, and without a password.
  await tabTo(page, 'button', text('login.passkey'))
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard')
  await settled(page)
  await openAccount(page, owner)
  await expect(card(page)).not.toContainText(text('passkey.unused'))
  await button(card(page), text('passkey.remove_label', { name: 'Büro' })).click()
  await expectAccessible(page)
  await password(page).fill(owner.password)
  await button(dialog(page), text('passkey.remove')).click()
  await expect(card(page)).toContainText(text('passkey.none'))
  await logOutByMenu(page)
  await button(page, text('login.passkey')).click()
  await expect(page.getByRole('alert')).toContainText('nicht angenommen')
  const sentSubjects = () => subjects(server, owner)
  await expect
    .poll(sentSubjects)
    .toEqual(expect.arrayContaining(['Sie haben einen neuen Passkey', 'Ein Passkey wurde entfernt']))
})

test('a device that does not recognise its user opens nothing, and the page names the alternatives', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  const device = await Device.at(page)
  await beLoggedIn(page, server, owner)
  await openAccount(page, owner)
  await add(page, owner, 'Laptop')
  await logOutByMenu(page)
  await device.recognise(false)
  await button(page, text('login.passkey')).click()
  await expect(page.getByRole('alert')).toContainText(text('passkey.problem.cancelled'))
  await expectGoodEverywhere(page, [DESK, NARROW])
  await page.setViewportSize(DESK)
  await device.recognise(true)
  await button(page, text('login.passkey')).click()
  await page.waitForURL('**/dashboard')
})

test('an owner with two-step login uses one in place of the code', async ({ page, server }) => {
  const owner = await server.newOwner()
  await Device.at(page)
  await beLoggedIn(page, server, owner)
  await openAccount(page, owner)
  await add(page, owner, 'Laptop')
  const twoSteps = page.getByRole('region', { name: text('totp.title'), exact: true })
  await button(twoSteps, text('totp.set_up')).click()
  await setUpTotp(page, server, owner.password)
  await button(dialog(page), text('totp.recovery.done')).click()
  await expect(dialog(page)).toBeHidden()
  await logOutByMenu(page)

  await sendLogin(page, owner)
  await expect(page.getByText(text('totp.ask'))).toBeVisible()
  await expectGoodEverywhere(page, [DESK, NARROW])
  await page.setViewportSize(DESK)
  await button(page, text('totp.use_passkey')).click()
  await page.waitForURL('**/dashboard')
  await settled(page)
  // Removing it can also be confirmed with it.
  await openAccount(page, owner)
  await button(card(page), text('passkey.remove_label', { name: 'Laptop' })).click()
  await button(dialog(page), text('passkey.confirm')).click()
  await expect(card(page)).toContainText(text('passkey.none'))
})

test('an electrician adds one, logs in with it alone whichever role is selected, and removes it', async ({
  page,
  server,
}) => {
  const electrician = await server.newElectrician()
  await Device.at(page)
  await beLoggedIn(page, server, electrician)
  await openAccount(page, electrician)
  await add(page, electrician, 'Werkstatt')
  await logOutByMenu(page)
  await button(page, text('login.passkey')).click()
  await page.waitForURL(`**${homeOf(electrician)}`)
  await settled(page)
  await openAccount(page, electrician)
  await button(card(page), text('passkey.remove_label', { name: 'Werkstatt' })).click()
  await password(page).fill(electrician.password)
  await button(dialog(page), text('passkey.remove')).click()
  await expect(card(page)).toContainText(text('passkey.none'))
})
