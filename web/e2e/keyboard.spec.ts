import type { Locator, Page } from '@playwright/test'
import { DESK, PHONE } from './harness/axe.ts'
import { expectEveryStopInSight, expectFocusToShow, tabTo } from './harness/keyboard.ts'
import { ONE } from './harness/owners.ts'
import { field, readSettings } from './harness/settings.ts'
import { beLoggedIn, button, heading, seeAll, settled } from './harness/steps.ts'
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

test('a setting is changed and saved with the keyboard alone, and dialogs return the focus', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  await beLoggedIn(page, server, owner)
  await page.goto('/dashboard')
  await settled(page)
  await tabTo(page, 'button', text('top.account'))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: text('nav.settings') })).toBeFocused()
  await expectFocusToShow(page)
  await page.keyboard.press('Escape')
  await expect(button(page, text('top.account'))).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: text('nav.settings') })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText(text('nav.settings'))
  await expect(heading(page)).toBeFocused()
  await settled(page)

  await tabTo(page, 'textbox', text('setting.reserve_soc'))
  await page.keyboard.press('ControlOrMeta+a')
  await type(page, '101')
  await expect(
    page.getByRole('status').filter({ hasText: '1 Änderung ist noch nicht gesendet' }),
  ).toBeVisible()
  await tabTo(page, 'button', text('settings.review'))
  await page.keyboard.press('Enter')
  await expect(field(page, 'reserve_soc')).toBeFocused()
  await page.keyboard.press('ControlOrMeta+a')
  await type(page, '35')
  await tabTo(page, 'button', text('settings.review'))
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: text('settings.confirm') })
  await tabTo(page, 'button', text('ui.cancel'))
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(button(page, text('settings.review'))).toBeFocused()
  await page.keyboard.press('Enter')
  await tabTo(page, 'button', text('settings.send'))
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  // The button that opened it is gone with the changes.
  await expect(page.getByRole('region', { name: text('settings.title') })).toBeFocused()
  expect((await readSettings(server, owner, sn)).desired.reserve_soc).toBe(35)

  await tabTo(page, 'textbox', text('setting.reserve_soc'))
  await page.keyboard.press('ControlOrMeta+a')
  await type(page, '40')
  await tabTo(page, 'button', text('settings.discard'))
  await page.keyboard.press('Enter')
  await expect(field(page, 'reserve_soc')).toHaveValue('35')
  await expect(page.getByRole('region', { name: text('settings.title') })).toBeFocused()
})

test('the focused element is visible in both Tab directions', async ({ page, server }) => {
  test.slow()
  await beLoggedIn(page, server, ONE)
  for (const size of [DESK, PHONE]) {
    await page.setViewportSize(size)
    for (const address of ['/dashboard', '/settings']) {
      await page.goto(address)
      await seeAll(page)
      await expectEveryStopInSight(page, 'Tab')
      await expectEveryStopInSight(page, 'Shift+Tab')
    }
  }
})

test('forced colours keep selected, switched on and focused elements distinguishable', async ({
  page,
  server,
}) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await beLoggedIn(page, server, ONE)
  await page.goto('/charts')
  await seeAll(page)
  const appearance = (element: Locator) =>
    element.evaluate((one) => {
      const { backgroundColor, color, boxShadow } = getComputedStyle(one)
      return `${backgroundColor} ${color} ${boxShadow}`
    })
  const chips = page.getByRole('group', { name: text('chart.series') }).getByRole('button')
  expect(await appearance(chips.and(page.locator('[aria-pressed=true]')).first())).not.toBe(
    await appearance(chips.and(page.locator('[aria-pressed=false]')).first()),
  )
  const range = (id: 'Day' | 'Week') => page.getByText(text(`chart.range.${id}`), { exact: true })
  expect(await appearance(range('Day'))).not.toBe(await appearance(range('Week')))
  await button(page, text('top.display')).click()
  const thumb = page.getByRole('menuitemcheckbox').locator('span > span')
  expect(await appearance(thumb)).not.toBe(await appearance(page.getByRole('menuitemcheckbox')))
})
