import type { Page } from '@playwright/test'
import type { Account } from './harness/server.ts'
import { button, heading, logIn, seeAll, sendLogin, sendRegistration } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

/** The waiting claims of /connect. */
const claims = (page: Page) => page.getByRole('region', { name: text('claims.title') })

/** Logs in with an account without systems: the key page opens instead of the dashboard. */
async function enterKeyPage(page: Page, account: Account) {
  await page.goto('/login')
  await sendLogin(page, account)
  await page.waitForURL('**/connect')
  await expect(page.getByText(text('error.no_systems'))).toBeVisible()
}

/** From the success message of /connect through the login to the dashboard. */
async function goOnToDashboard(page: Page, account: Account, sn: string) {
  await expect(heading(page)).toHaveText(text('connect.done'))
  await button(page, text('register.to_login')).click()
  await page.waitForURL('**/login')
  await sendLogin(page, account)
  await expect(heading(page)).toHaveText(text('nav.dashboard'))
  await seeAll(page)
  await expect(page.getByRole('main').getByText(sn, { exact: true })).toBeVisible()
}

test('an owner registers with a registration code and logs in at once', async ({ page, server }) => {
  const site = await server.newSite(3)
  const account = server.nextAccount('user')
  await page.goto('/register')
  await sendRegistration(page, { account, keys: [site.code] })
  await expect(heading(page)).toHaveText(text('register.ready'))
  await expect(page.getByText(text('keys.linked'))).toBeVisible()
  await button(page, text('register.to_login')).click()
  await expect(page.getByText(text('login.notice.account_ready'))).toBeVisible()
  await sendLogin(page, account)
  await expect(heading(page)).toHaveText(text('nav.dashboard'))
  await seeAll(page)
  for (const sn of site.serials)
    await expect(page.getByRole('main').getByText(sn, { exact: true })).toBeVisible()
})

test('an owner registers with a serial number, opens the mail, turns the switch and sees the system', async ({
  page,
  server,
}) => {
  const sn = await server.newUnit()
  const account = server.nextAccount('user')
  await page.goto('/register')
  await sendRegistration(page, { account, keys: [sn] })
  await expect(heading(page)).toHaveText(text('register.check_mail'))
  await expect(page.getByText(account.email)).toBeVisible()

  await page.goto('/login')
  await sendLogin(page, account)
  await expect(page.getByText(text('error.email_unconfirmed'))).toBeVisible()
  await button(page, text('login.resend')).click()
  await expect(page.getByText(text('error.confirm_resent'))).toBeVisible()

  await page.goto(await server.linkMailedTo(account.email))
  await expect(heading(page)).toHaveText(text('register.ready'))
  await expect(page.getByText(sn)).toBeVisible()
  await expect(page, 'the secret of the link does not stay in the address').not.toHaveURL(/#/)
  await expect(page.getByText(text('keys.step.on'))).toBeVisible()
  await expect(page.getByText(text('keys.step.code'))).toBeVisible()

  // The page updates by itself.
  await server.turnSwitch(sn)
  await expect(page.getByText(text('keys.linked'))).toBeVisible()
  await button(page, text('register.to_login')).click()
  await sendLogin(page, account)
  await expect(heading(page)).toHaveText(text('nav.dashboard'))
  await seeAll(page)
  await expect(page.getByRole('main').getByText(sn, { exact: true })).toBeVisible()
})

test('an owner whose claim lapsed tries again and is linked', async ({ page, server }) => {
  const sn = await server.newUnit()
  const account = await server.newWaitingOwner(sn)
  await server.passMinutes(31)
  await server.turnSwitch(sn)

  await enterKeyPage(page, account)
  await expect(claims(page)).toContainText(text('claims.lapsed'))
  await button(claims(page), text('claims.renew')).click()
  await expect(claims(page)).toContainText(text('claims.waiting'))
  await expect(claims(page).getByRole('timer')).toContainText(/(29|30):\d\d/)
  expect(await page.evaluate(() => localStorage.getItem('access_token'))).toBeNull()

  await server.turnSwitch(sn)
  await goOnToDashboard(page, account, sn)
})

test('two owners who wait for the same switch both get the contested text, and the code decides', async ({
  page,
  server,
}) => {
  const sn = await server.newUnit()
  const account = await server.newWaitingOwner(sn)
  await server.newWaitingOwner(sn)
  await enterKeyPage(page, account)
  await expect(claims(page)).toContainText(text('claims.waiting'))

  await server.turnSwitch(sn)
  await expect(claims(page)).toContainText(text('claims.contested'))
  await expect(claims(page)).toContainText(text('claims.contested.text'))

  const code = await server.registrationCode(sn)
  await page.getByLabel(text('keys.label'), { exact: true }).fill(code.toLowerCase().replaceAll('-', ' '))
  await button(page, text('keys.add')).click()
  await goOnToDashboard(page, account, sn)
})

test('the key page has one sentence each for wrong, unknown and used keys', async ({ page, server }) => {
  const { serials } = await server.newSite()
  const account = await server.newWaitingOwner(serials[0] ?? '')
  const neighbour = await server.newOwner()
  await enterKeyPage(page, account)
  const input = page.getByLabel(text('keys.label'), { exact: true })

  await input.fill('abc123')
  await button(page, text('keys.add')).click()
  await expect(page.getByText(text('field.serial_uppercase'))).toBeVisible()
  await button(page, text('ui.remove', { name: 'abc123' })).click()

  const nobodys = '7Q4ZC-0R9TN-XW2MH-5BVKD'
  await input.fill(`${nobodys},${neighbour.serials[0]},`)
  await button(page, text('keys.add')).click()
  await expect(page.getByText(text('keys.failed'))).toBeVisible()
  await expect(page.getByRole('main')).toContainText(nobodys)
  await expect(page.getByRole('main')).toContainText(neighbour.serials[0] ?? '')
})

test('the key page of an owner without systems goes back to the login and opens nothing else', async ({
  page,
  server,
}) => {
  const { serials } = await server.newSite()
  await enterKeyPage(page, await server.newWaitingOwner(serials[0] ?? ''))
  await page.goto('/dashboard')
  await page.waitForURL('**/login')
  await page.goto('/connect')
  await expect(heading(page)).toHaveText(text('page.connect'))
  await button(page, text('lock.back')).click()
  await page.waitForURL('**/login')
  await page.goto('/connect')
  await page.waitForURL('**/login')
})

test('an electrician registers by mail and enters an empty fleet', async ({ page, server }) => {
  const account = server.nextAccount('electrician')
  await page.goto('/register')
  await sendRegistration(page, { account, company: 'Elektro Sonnenberg GmbH' })
  await expect(heading(page)).toHaveText(text('register.check_mail'))

  await page.goto(await server.linkMailedTo(account.email))
  await expect(heading(page)).toHaveText(text('register.ready'))
  await button(page, text('register.to_login')).click()
  // The page still knows the role: it is selected already.
  await expect(page.getByRole('radio', { name: text('role.electrician') })).toBeChecked()
  await sendLogin(page, account)
  await page.waitForURL('**/electrician-dashboard')
  await expect(page.getByText(text('fleet.empty'))).toBeVisible()
})

test('a mailed link works once, and then says what to do', async ({ page, server }) => {
  const account = server.nextAccount('electrician')
  await page.goto('/register')
  await sendRegistration(page, { account, company: 'Elektro Blitz' })
  await expect(heading(page)).toHaveText(text('register.check_mail'))
  const link = await server.linkMailedTo(account.email)
  await page.goto(link)
  await expect(heading(page)).toHaveText(text('register.ready'))
  await page.goto('/login')
  await page.goto(link)
  await expect(page.getByRole('alert')).toContainText(text('register.link_invalid'))
  await logIn(page, account)
})

test('the registration form marks every wrong field and keeps what was typed', async ({ page, server }) => {
  await page.goto('/register')
  await button(page, text('register.submit')).click()
  await expect(page.getByLabel(text('form.email'), { exact: true })).toBeFocused()
  await expect(page.getByText(text('field.key_required'))).toBeVisible()
  await expect(page.getByText(text('field.terms_required'))).toBeVisible()

  const account = { ...server.nextAccount('user'), password: 'Weak1234' }
  await sendRegistration(page, { account, keys: ['NO-SUCH-CODE'] })
  await expect(page.getByText(text('field.password_weak', { min: '8' }))).toBeVisible()
  await expect(page.getByLabel(text('form.email'), { exact: true })).toHaveValue(account.email)
})

test('a taken address is only revealed to somebody with a valid code', async ({ page, server }) => {
  const taken = await server.newOwner()
  const { code } = await server.newSite()
  await page.goto('/register')
  await sendRegistration(page, { account: taken, keys: [code] })
  await expect(page.getByText(text('field.email_taken'))).toBeVisible()

  const { serials } = await server.newSite()
  await page.locator('input[name=sn1]').fill(serials[0] ?? '')
  await button(page, text('register.submit')).click()
  await expect(heading(page)).toHaveText(text('register.check_mail'))
})
