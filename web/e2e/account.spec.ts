import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { beLoggedIn, button, heading, logIn, seeAll, sendLogin } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

/** A card of the settings page, by its title. */
const card = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) })

const currentPassword = text('form.current_password')

test('a changed password ends the other session and counts from now on', async ({
  page,
  server,
  otherBrowser,
}) => {
  const owner = await server.newOwner()
  const changed = { ...owner, password: 'Mondschein-2?' }
  const other = await otherBrowser()
  for (const browser of [other, page]) {
    await beLoggedIn(browser, server, owner)
    await browser.goto(`${server.url}/settings?part=account`)
  }
  const form = card(page, text('account.password'))
  await form.getByLabel(currentPassword, { exact: true }).fill(owner.password)
  await form.getByLabel(text('form.new_password'), { exact: true }).fill(changed.password)
  await form.getByLabel(text('form.repeat_password'), { exact: true }).fill(changed.password)
  await button(form, text('account.password.submit')).click()
  await expect(page.getByText(text('account.password.changed'))).toBeVisible()

  await other.reload()
  await other.waitForURL('**/login')
  await expect(other.getByRole('dialog')).toContainText(text('logged_out.session_ended'))
  await page.reload()
  await expect(heading(page)).toHaveText(text('nav.settings'))
  await page.goto('/logout')
  await page.waitForURL('**/login')
  await logIn(page, changed)
})

test('a wrong current password changes nothing and says so at its field', async ({ page, server }) => {
  await beLoggedIn(page, server, await server.newOwner())
  await page.goto('/settings?part=account')
  const form = card(page, text('account.password'))
  await form.getByLabel(currentPassword, { exact: true }).fill('Wrong-password-1')
  await form.getByLabel(text('form.new_password'), { exact: true }).fill('Mondschein-2?')
  await form.getByLabel(text('form.repeat_password'), { exact: true }).fill('Mondschein-2?')
  await button(form, text('account.password.submit')).click()
  await expect(form.getByText(text('field.password_wrong'))).toBeVisible()
  await expect(form.getByLabel(currentPassword, { exact: true })).toBeFocused()
})

test('phone, country and language of the mails are saved', async ({ page, server }) => {
  await beLoggedIn(page, server, await server.newOwner())
  await page.goto('/settings?part=account')
  const form = card(page, text('account.profile'))
  await form.getByLabel(text('form.country'), { exact: true }).selectOption('PL')
  await form.getByLabel(text('form.phone'), { exact: true }).fill('123')
  await button(form, text('account.save')).click()
  await expect(form.getByLabel(text('form.phone'), { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await form.getByLabel(text('form.phone'), { exact: true }).fill('+48 22 694 55 55')
  await form.getByLabel(text('account.mail_language'), { exact: true }).selectOption('pl')
  await button(form, text('account.save')).click()
  await expect(page.getByText(text('account.saved'), { exact: true })).toBeVisible()
  await page.reload()
  await expect(form.getByLabel(text('form.country'), { exact: true })).toHaveValue('PL')
  await expect(form.getByLabel(text('account.mail_language'), { exact: true })).toHaveValue('pl')
})

test('a new e-mail address counts once its link was opened', async ({ page, server }) => {
  const owner = await server.newOwner()
  const renamed = { ...owner, email: `new-${owner.email}` }
  await beLoggedIn(page, server, owner)
  await page.goto('/settings?part=account')
  const form = card(page, text('account.email'))
  await form.getByLabel(text('account.email.new'), { exact: true }).fill(renamed.email)
  await form.getByLabel(currentPassword, { exact: true }).fill(owner.password)
  await button(form, text('account.email.submit')).click()
  await expect(form.getByText(text('account.email.sent', { email: renamed.email }))).toBeVisible()

  await page.goto(await server.linkMailedTo(renamed.email))
  await expect(page.getByText(text('account.email.changed', { email: renamed.email }))).toBeVisible()
  await page.goto('/logout')
  await page.waitForURL('**/login')
  await logIn(page, renamed)
})

test('the exports as JSON and CSV download everything about the person', async ({ page, server }) => {
  const owner = await server.newOwner()
  await beLoggedIn(page, server, owner)
  await page.goto('/settings?part=account')
  for (const format of ['json', 'csv'] as const) {
    const download = page.waitForEvent('download')
    await button(page, text(`account.export.${format}`)).click()
    const file = await download
    expect(file.suggestedFilename()).toMatch(new RegExp(`\\.${format}$`))
    const content = await readFile(await file.path(), 'utf8')
    expect(content).toContain(owner.email)
    expect(content).toContain(owner.serials[0])
  }
})

test('deleting the account asks for the password and leaves nothing to log in with', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  await beLoggedIn(page, server, owner)
  await page.goto('/settings?part=account')
  await button(page, text('account.delete')).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(currentPassword, { exact: true }).fill('Wrong-password-1')
  await button(dialog, text('account.delete.confirm')).click()
  await expect(dialog.getByText(text('field.password_wrong'))).toBeVisible()
  await dialog.getByLabel(currentPassword, { exact: true }).fill(owner.password)
  await button(dialog, text('account.delete.confirm')).click()
  await page.waitForURL('**/login')
  await expect(page.getByText(text('login.notice.account_deleted'))).toBeVisible()
  await sendLogin(page, owner)
  await expect(page.getByRole('alert')).toContainText('Anmeldung fehlgeschlagen')
})

test('"log out everywhere" ends this session and every other one', async ({ page, server, otherBrowser }) => {
  const owner = await server.newOwner()
  const other = await otherBrowser()
  for (const browser of [other, page]) {
    await beLoggedIn(browser, server, owner)
    await browser.goto(`${server.url}/settings?part=account`)
  }
  await button(page, text('account.sessions.end')).click()
  await page.waitForURL('**/login')
  await expect(page.getByText(text('login.notice.logged_out_everywhere'))).toBeVisible()
  await other.reload()
  await other.waitForURL('**/login')
})

test('an owner adds a system by its code and is asked to log in again', async ({ page, server }) => {
  const site = await server.newSite()
  await beLoggedIn(page, server, await server.newOwner())
  await page.goto('/settings?part=account')
  const systems = card(page, text('account.systems'))
  await systems.getByLabel(text('keys.label'), { exact: true }).fill(site.code)
  await button(systems, text('keys.add')).click()
  await expect(systems.getByText(text('account.systems.added'))).toBeVisible()
  await expect(systems.getByText(text('account.systems.added.text'))).toBeVisible()
  await expect(systems.getByRole('listitem').filter({ hasText: site.serials[0] }).first()).toBeVisible()
  await systems.getByRole('link', { name: text('account.systems.log_out') }).click()
  await page.waitForURL('**/login')
})

test('an owner gives up a system after a confirmation', async ({ page, server }) => {
  const owner = await server.newOwner(2)
  const [kept = '', given = ''] = owner.serials
  await beLoggedIn(page, server, owner)
  await page.goto('/settings?part=account')
  await button(page, text('account.unlink.label', { sn: given })).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText(text('account.unlink.title', { sn: given }))
  await dialog.getByLabel(text('form.current_password'), { exact: true }).fill(owner.password)
  await button(dialog, text('account.unlink')).click()
  await expect(dialog).toBeHidden()
  await expect(button(page, text('account.unlink.label', { sn: given }))).toBeHidden()
  await page.goto('/dashboard')
  await seeAll(page)
  await expect(page.getByRole('main').getByText(kept)).toBeVisible()
  await expect(page.getByRole('main').getByText(given)).toBeHidden()
})

test('an electrician changes the company and has neither systems nor partner apps', async ({
  page,
  server,
}) => {
  await beLoggedIn(page, server, await server.newElectrician())
  await page.goto('/electrician-settings?part=account')
  const form = card(page, text('account.profile'))
  await form.getByLabel(text('form.company'), { exact: true }).fill('Sonnenbau & Söhne')
  await button(form, text('account.save')).click()
  await expect(page.getByText(text('account.saved'), { exact: true })).toBeVisible()
  await page.reload()
  await expect(form.getByLabel(text('form.company'), { exact: true })).toHaveValue('Sonnenbau & Söhne')
  await expect(page.getByRole('heading', { name: text('account.partners') })).toBeHidden()
  await expect(page.getByRole('heading', { name: text('account.systems') })).toBeHidden()
})
