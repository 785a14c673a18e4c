/** The second factor: setup in the settings, login, a recovery code for a lost phone, and removal. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { setUpTotp } from './harness/authenticator.ts'
import { DESK, expectAccessible, expectGoodEverywhere, NARROW } from './harness/axe.ts'
import type { Account, Server } from './harness/server.ts'
import { beLoggedIn, button, heading, logOutByMenu, sendLogin, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

test.use({ movesClock: 'hours' })

const dialog = (page: Page) => page.getByRole('dialog')
const card = (page: Page) => page.getByRole('region', { name: text('totp.title'), exact: true })
const codeField = (page: Page) => page.getByLabel(text('totp.code'), { exact: true })

async function openAccount(page: Page, server: Server, account: Account) {
  await beLoggedIn(page, server, account)
  await page.goto('/settings?part=account')
  await settled(page)
}

async function setUp(page: Page, server: Server, account: Account) {
  await openAccount(page, server, account)
  await button(card(page), text('totp.set_up')).click()
  const made = await setUpTotp(page, server, account.password)
  await button(dialog(page), text('totp.recovery.done')).click()
  await expect(dialog(page)).toBeHidden()
  return made
}

test('an owner sets it up, logs in with a code, then with a recovery code, and switches it off', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  const { phone, recoveryCodes } = await setUp(page, server, owner)
  await expect(card(page)).toContainText(text('totp.on'))
  await logOutByMenu(page)

  await sendLogin(page, owner)
  await expect(page.getByText(text('totp.ask'))).toBeVisible()
  await expect(codeField(page)).toBeFocused()
  await expect(codeField(page)).toHaveAttribute('autocomplete', 'one-time-code')
  await expect(codeField(page)).toHaveAttribute('inputmode', 'numeric')
  await expectGoodEverywhere(page, [DESK, NARROW])
  await page.setViewportSize(DESK)
  await codeField(page).fill('12 34')
  await button(page, text('login.submit')).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(codeField(page)).toBeFocused()
  await codeField(page).fill(await phone.code())
  await codeField(page).press('Enter')
  await page.waitForURL('**/dashboard')
  await settled(page)
  await logOutByMenu(page)

  await sendLogin(page, owner)
  await button(page, text('totp.use_recovery')).click()
  await page.getByLabel(text('totp.recovery_code'), { exact: true }).fill(recoveryCodes[0] ?? '')
  await button(page, text('login.submit')).click()
  await page.waitForURL('**/dashboard')

  await page.goto('/settings?part=account')
  await expect(card(page)).toContainText('9 Wiederherstellungscodes')
  await button(card(page), text('totp.end')).click()
  await expectAccessible(page)
  await dialog(page).getByLabel(text('form.current_password'), { exact: true }).fill(owner.password)
  await dialog(page)
    .getByLabel(text('totp.code'), { exact: true })
    .fill(await phone.code())
  await button(dialog(page), text('totp.end')).click()
  await expect(button(card(page), text('totp.set_up'))).toBeVisible()
})

test('every step of the setup is accessible, on a desktop and on a narrow screen', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  await openAccount(page, server, owner)
  await button(card(page), text('totp.set_up')).click()
  await expectGoodEverywhere(page, [DESK, NARROW])
  await dialog(page).getByLabel(text('form.current_password'), { exact: true }).fill('Falsch-123!')
  await button(dialog(page), text('totp.begin')).click()
  await expect(dialog(page).getByRole('alert')).toBeVisible()
  await dialog(page).getByLabel(text('form.current_password'), { exact: true }).fill(owner.password)
  await button(dialog(page), text('totp.begin')).click()
  await expect(page.getByRole('img', { name: text('totp.qr') })).toBeVisible()
  await expectGoodEverywhere(page, [DESK, NARROW])
})

test('recovery codes are copied, saved as a file and renewed', async ({ page, server, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const owner = await server.newOwner()
  const { phone, recoveryCodes } = await setUp(page, server, owner)
  await button(card(page), text('totp.renew')).click()
  await dialog(page).getByLabel(text('form.current_password'), { exact: true }).fill(owner.password)
  await dialog(page)
    .getByLabel(text('totp.code'), { exact: true })
    .fill(await phone.code())
  await button(dialog(page), text('totp.renew.submit')).click()
  const list = dialog(page).getByRole('list', { name: text('totp.recovery') })
  await expect(list.getByRole('listitem')).toHaveCount(10)
  await expectGoodEverywhere(page, [DESK, NARROW])
  const codes = await list.getByRole('listitem').allTextContents()
  expect(codes).not.toContain(recoveryCodes[0])
  await button(dialog(page), text('totp.recovery.copy')).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(codes.join('\n'))
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    button(dialog(page), text('totp.recovery.download')).click(),
  ])
  const file = await readFile(await download.path(), 'utf8')
  expect(file.trimEnd().split('\r\n').slice(2)).toEqual(codes)
})

test('a login for a partner app asks for it, too', async ({ page, server, otherBrowser }) => {
  const owner = await server.newOwner()
  const { phone } = await setUp(page, server, owner)
  const app = await server.newPartner('Sonnenfreund')
  const theirs = await otherBrowser()
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.id,
    redirect_uri: app.redirect,
    code_challenge: createHash('sha256').update('x'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'systems',
    state: '1',
  })
  await theirs.goto(`${server.url}/login_cleverpv?${query}`)
  await sendLogin(theirs, owner)
  await expect(button(theirs, text('partner.allow'))).toBeHidden()
  await codeField(theirs).fill(await phone.code())
  await button(theirs, text('login.submit')).click()
  await expect(heading(theirs)).toHaveText(text('partner.title', { app: app.name }))
  await expect(button(theirs, text('partner.allow'))).toBeVisible()
})

test('somebody who lost phone and recovery codes can log in after the operator has reset it', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  await setUp(page, server, owner)
  await page.goto('/logout')
  await server.admin('reset-totp', owner.email)
  await page.waitForURL('**/login')
  await sendLogin(page, owner)
  await page.waitForURL('**/dashboard')
  const subjects = async () => (await server.mails(owner.email)).map(({ subject }) => subject)
  await expect.poll(subjects).toContain('Die Anmeldung in zwei Schritten ist zurückgesetzt')
})
