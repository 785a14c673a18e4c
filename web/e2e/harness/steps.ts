/** Actions in the browser that several tests share. */
import { expect, type Locator, type Page } from '@playwright/test'
import type { Account, Server } from './server.ts'
import { text } from './texts.ts'

export const heading = (page: Page) => page.getByRole('heading', { level: 1 })

export const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true })

export const homeOf = ({ role }: Account) =>
  role === 'electrician' ? '/electrician-dashboard' : '/dashboard'

/** Waits until all requests of the page are complete. */
export const settled = (page: Page) => expect(page.locator('[aria-busy=true]')).toHaveCount(0)

/** Scrolls through the page, so that everything loads, and back up. */
export async function seeAll(page: Page) {
  await heading(page).waitFor()
  await settled(page)
  await page.waitForFunction(() => {
    const far = document.querySelector('[data-not-near]')
    far?.scrollIntoView()
    return far === null
  })
  await settled(page)
  await page.evaluate(() => scrollTo(0, 0))
}

/** Fills in and submits the login form on screen. */
export async function sendLogin(page: Page, { email, password, role }: Account) {
  if (role === 'electrician') await page.getByText(text('role.electrician'), { exact: true }).click()
  await page.getByLabel(text('form.email'), { exact: true }).fill(email)
  await page.getByLabel(text('form.password'), { exact: true }).fill(password)
  await button(page, text('login.submit')).click()
}

/** Logs in by the form, and waits for the dashboard. */
export async function logIn(page: Page, account: Account) {
  await page.goto('/login')
  await sendLogin(page, account)
  await page.waitForURL(`**${homeOf(account)}`)
  await expect(heading(page)).toBeVisible()
  await settled(page)
}

export async function logOutByMenu(page: Page) {
  await button(page, text('top.account')).click()
  await page.getByRole('menuitem', { name: text('top.log_out') }).click()
  await page.waitForURL('**/login')
}

/** Stores a session in the browser, for tests that are not about the login. */
export async function beLoggedIn(page: Page, server: Server, account: Account, origin = server.url) {
  const tokens = await server.logIn(account)
  await page.goto(`${origin}/healthz`)
  await page.evaluate(({ access, refresh, role }) => {
    localStorage.setItem('refresh_token', refresh)
    localStorage.setItem('role', role)
    localStorage.setItem('access_token', access)
  }, tokens)
}

type RegistrationForm = { account: Account; keys?: string[]; company?: string }

/** Fills in and submits the registration form on screen. */
export async function sendRegistration(page: Page, { account, keys = [], company }: RegistrationForm) {
  if (account.role === 'electrician') {
    await page.getByText(text('role.electrician'), { exact: true }).click()
    await page.getByLabel(text('form.company'), { exact: true }).fill(company ?? '')
  }
  await page.getByLabel(text('form.email'), { exact: true }).fill(account.email)
  await page.getByLabel(text('form.password'), { exact: true }).fill(account.password)
  await page.getByLabel(text('form.repeat_password'), { exact: true }).fill(account.password)
  await page.getByLabel(text('form.country'), { exact: true }).selectOption('DE')
  await page.getByLabel(text('form.phone'), { exact: true }).fill('030 901820')
  for (const [index, key] of keys.entries()) {
    if (index > 0) await button(page, text('register.another_key')).click()
    await page.locator(`input[name=sn${index + 1}]`).fill(key)
  }
  await page.getByRole('checkbox').check()
  await button(page, text('register.submit')).click()
}

export const storedTokens = (page: Page) =>
  page.evaluate(() => ({
    access: localStorage.getItem('access_token'),
    refresh: localStorage.getItem('refresh_token'),
  }))
