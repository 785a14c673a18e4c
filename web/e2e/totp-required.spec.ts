/** Operators can require the second factor of electricians. */
import { setUpTotp } from './harness/authenticator.ts'
import { DESK, expectGoodEverywhere, NARROW } from './harness/axe.ts'
import { Device } from './harness/passkey.ts'
import { beLoggedIn, button, heading, logIn, logOutByMenu, sendLogin, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

test.use({
  movesClock: 'hours',
  options: ['--require-totp-of-electricians'],
})

test('an electrician is led to the setup, and logs in with a code from then on', async ({ page, server }) => {
  const electrician = await server.newElectrician()
  await page.goto('/login')
  await sendLogin(page, electrician)
  await page.waitForURL('**/enrol')
  await expect(heading(page)).toHaveText(text('totp.set_up.title'))
  await expectGoodEverywhere(page, [DESK, NARROW])
  await page.setViewportSize(DESK)
  // Every other page redirects here.
  await page.goto('/electrician-dashboard')
  await page.waitForURL('**/enrol')
  const { phone } = await setUpTotp(page, server, electrician.password)
  await button(page, text('totp.recovery.done')).click()
  await page.waitForURL('**/electrician-dashboard')
  await settled(page)

  await page.goto('/electrician-settings?part=account')
  await expect(page.getByText(text('totp.required'))).toBeVisible()
  await expect(button(page, text('totp.end'))).toBeHidden()
  await logOutByMenu(page)
  await sendLogin(page, electrician)
  await page.getByLabel(text('totp.code'), { exact: true }).fill(await phone.code())
  await button(page, text('login.submit')).click()
  await page.waitForURL('**/electrician-dashboard')
})

test('an electrician may choose a passkey instead, which is then the second factor beside the password', async ({
  page,
  server,
}) => {
  const electrician = await server.newElectrician()
  await Device.at(page)
  await page.goto('/login')
  await sendLogin(page, electrician)
  await page.waitForURL('**/enrol')
  await button(page, text('totp.enrol.passkey')).click()
  await page.getByLabel(text('form.current_password'), { exact: true }).fill(electrician.password)
  await button(page, text('totp.begin')).click()
  await page.getByLabel(text('passkey.name'), { exact: true }).fill('Werkstatt')
  await expectGoodEverywhere(page, [DESK, NARROW])
  await page.setViewportSize(DESK)
  await button(page, text('passkey.create')).click()
  await page.waitForURL('**/electrician-dashboard')
  await settled(page)
  await logOutByMenu(page)

  await sendLogin(page, electrician)
  await expect(page.getByText(text('totp.ask.passkey'))).toBeVisible()
  await expectGoodEverywhere(page, [DESK, NARROW])
  await page.setViewportSize(DESK)
  await button(page, text('totp.use_passkey')).click()
  await page.waitForURL('**/electrician-dashboard')
})

test('owners are not asked', async ({ page, server }) => {
  await logIn(page, await server.newOwner())
  await page.goto('/enrol')
  await page.waitForURL('**/dashboard')
})

test('an electrician who refuses can still export their data and delete the account', async ({
  page,
  server,
}) => {
  const electrician = await server.newElectrician()
  await beLoggedIn(page, server, electrician)
  await page.goto('/enrol')
  await expect(button(page, text('account.delete'))).toBeVisible()
  await button(page, text('lock.back')).click()
  await page.waitForURL('**/login')
})
