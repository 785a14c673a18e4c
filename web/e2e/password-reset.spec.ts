import type { Page } from '@playwright/test'
import { button, heading, logIn, sendLogin } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

async function askForLink(page: Page, email: string) {
  await page.goto('/login')
  await page.getByRole('link', { name: text('login.forgot') }).click()
  await expect(page).toHaveURL(/\/lock$/)
  // The previous page has such a field, too, until the next one is rendered.
  await expect(heading(page)).toHaveText(text('lock.title'))
  await page.getByLabel(text('form.email'), { exact: true }).fill(email)
  await button(page, text('lock.submit')).click()
  await expect(page.getByText(text('lock.sent', { email }))).toBeVisible()
}

async function chooseNewPassword(page: Page, password: string) {
  await page.getByLabel(text('form.new_password'), { exact: true }).fill(password)
  await page.getByLabel(text('form.repeat_password'), { exact: true }).fill(password)
  await button(page, text('reset.submit')).click()
}

test('a forgotten password is reset by the mailed link, and the old one is refused', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  const changed = { ...owner, password: 'Mondschein-2?' }
  await askForLink(page, owner.email)
  const link = await server.linkMailedTo(owner.email, '#token=')
  await page.goto(link)
  await expect(heading(page)).toHaveText(text('reset.title'))
  await expect(page, 'the secret of the link does not stay in the address').not.toHaveURL(/token/)
  await chooseNewPassword(page, changed.password)
  await page.waitForURL('**/login')
  await expect(page.getByText(text('login.notice.password_reset'))).toBeVisible()

  await sendLogin(page, owner)
  await expect(page.getByRole('alert')).toContainText('Anmeldung fehlgeschlagen')
  await logIn(page, changed)

  await page.goto('/logout')
  await page.waitForURL('**/login')
  await page.goto(link)
  await chooseNewPassword(page, 'Sternenhimmel-3!')
  await expect(page.getByRole('alert')).toContainText(text('reset.link_invalid'))
  await page.getByRole('link', { name: text('reset.ask_again') }).click()
  await expect(page).toHaveURL(/\/lock$/)
})

test('an unknown address gets the same answer, and no mail', async ({ page, server }) => {
  const email = 'nobody-there@example.org'
  await askForLink(page, email)
  expect(await server.mails(email)).toEqual([])
})

test('a reset link that is older than 30 minutes is refused', async ({ page, server }) => {
  const owner = await server.newOwner()
  await askForLink(page, owner.email)
  const link = await server.linkMailedTo(owner.email, '#token=')
  await server.passMinutes(31)
  await page.goto(link)
  await chooseNewPassword(page, 'Mondschein-2?')
  await expect(page.getByRole('alert')).toContainText(text('reset.link_invalid'))
})

test('the reset requires a strong password, twice the same', async ({ page, server }) => {
  const owner = await server.newOwner()
  await askForLink(page, owner.email)
  await page.goto(await server.linkMailedTo(owner.email, '#token='))
  await chooseNewPassword(page, 'weak')
  await expect(page.getByText(text('field.password_weak', { min: '8' }))).toBeVisible()
  await page.getByLabel(text('form.new_password'), { exact: true }).fill('Mondschein-2?')
  await button(page, text('reset.submit')).click()
  await expect(page.getByText(text('field.passwords_differ'))).toBeVisible()
})
