import type { Page } from '@playwright/test'
import { tabTo } from './harness/keyboard.ts'
import { heading } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

async function type(page: Page, value: string) {
  await page.keyboard.type(value)
}

test('register, log in and log out with the keyboard alone', async ({ page, server }) => {
  const { code, serials } = await server.newSite()
  const account = server.nextAccount('user')
  await page.goto('/login')
  await expect(heading(page)).toBeVisible()

  await tabTo(page, 'link', text('login.register'))
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText(text('register.title'))
  await tabTo(page, 'textbox', text('form.email'))
  await type(page, account.email)
  await tabTo(page, 'textbox', text('form.password'))
  await type(page, account.password)
  await tabTo(page, 'textbox', text('form.repeat_password'))
  await type(page, account.password)
  await tabTo(page, 'combobox', text('form.country'))
  await expect(page.getByRole('combobox', { name: text('form.country') })).toHaveValue('DE')
  await tabTo(page, 'textbox', text('form.phone'))
  await type(page, '030 901820')
  await tabTo(page, 'textbox', text('keys.label'))
  await type(page, code)
  await tabTo(page, 'checkbox', /./)
  await page.keyboard.press('Space')
  await tabTo(page, 'button', text('register.submit'))
  await page.keyboard.press('Enter')

  await expect(heading(page)).toHaveText(text('register.ready'))
  await expect(heading(page)).toBeFocused()
  await tabTo(page, 'button', text('register.to_login'))
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText(text('login.title'))
  await tabTo(page, 'textbox', text('form.email'))
  await type(page, account.email)
  await tabTo(page, 'textbox', text('form.password'))
  await type(page, account.password)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard')

  await tabTo(page, 'button', text('top.account'))
  await expect(page.getByRole('main').getByText(serials[0] ?? '')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: text('nav.settings') })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitem', { name: text('top.log_out') })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/login')
})

test('the first Tab reaches the skip link, which leads to the content and leaves no trace in the address', async ({
  page,
}) => {
  await page.goto('/login')
  await expect(heading(page)).toBeVisible()
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: text('nav.skip') })
  await expect(skip).toBeFocused()
  await expect(skip).toBeInViewport()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  await expect(page).toHaveURL(/\/login$/)
})

test('arrow keys choose between owner and electrician', async ({ page }) => {
  await page.goto('/login')
  await tabTo(page, 'radio', text('role.user'))
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('radio', { name: text('role.electrician') })).toBeChecked()
})
