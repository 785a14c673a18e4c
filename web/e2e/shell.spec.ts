import type { Page } from '@playwright/test'
import { beLoggedIn, button, heading } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

// Animated menus and dialogs, as most people see them.
test.use({ contextOptions: { reducedMotion: 'no-preference' } })

const PHONE = { width: 390, height: 844 }

const sideMenu = (page: Page) =>
  page.getByRole('complementary').getByRole('navigation', { name: text('nav.main') })

async function openSettingsByProfile(page: Page, address: string) {
  await button(page, text('top.account')).click()
  await page.getByRole('menuitem', { name: text('nav.settings') }).click()
  await expect(page).toHaveURL(new RegExp(`${address}$`))
  await expect(heading(page)).toHaveText(text('nav.settings'))
}

test('an owner finds Dashboard, Update and Settings in the side menu, which marks the current page, no update at the bell, and their settings in the profile menu', async ({
  page,
  server,
}) => {
  await beLoggedIn(page, server, await server.newOwner())
  await page.goto('/dashboard')
  const links = sideMenu(page).getByRole('link')
  await expect(links).toHaveText([text('nav.dashboard'), text('nav.update'), text('nav.settings')])
  await button(page, text('top.updates')).click()
  await expect(page.getByRole('menuitem')).toHaveText(text('top.no_update'))
  await page.keyboard.press('Escape')
  await links.nth(1).click()
  await expect(page).toHaveURL(/\/update$/)
  await expect(links.nth(1)).toHaveAttribute('aria-current', 'page')
  await openSettingsByProfile(page, '/settings')
})

test('an electrician finds no Update in the side menu, and their settings in the profile menu', async ({
  page,
  server,
}) => {
  await beLoggedIn(page, server, await server.newElectrician())
  await page.goto('/electrician-dashboard')
  await expect(sideMenu(page).getByRole('link')).toHaveText([text('nav.fleet'), text('nav.settings')])
  await openSettingsByProfile(page, '/electrician-settings')
})

test('contact, imprint and privacy policy open external pages in a tab of their own', async ({
  page,
  server,
}) => {
  for (const path of ['/login', '/dashboard']) {
    if (path === '/dashboard') await beLoggedIn(page, server, await server.newOwner())
    await page.goto(path)
    const links = page.getByRole('contentinfo').getByRole('link')
    // The guide is first, and part of the portal.
    await expect(links).toHaveCount(4)
    await expect(links.first()).toHaveAttribute('href', /^\/guide\//)
    for (const link of (await links.all()).slice(1)) {
      await expect(link).toHaveAttribute('href', /^https:\/\//)
    }
    for (const link of await links.all()) {
      await expect(link).toHaveAttribute('target', '_blank')
      await expect(link).toHaveAttribute('rel', /noopener/)
    }
  }
})

test('a floating toggle appears after 50 px of scroll and folds the side menu', async ({ page, server }) => {
  await page.setViewportSize({ width: 1440, height: 600 })
  await beLoggedIn(page, server, await server.newOwner())
  await page.goto('/settings?part=account')
  await expect(page.getByRole('heading', { name: text('account.profile') })).toBeVisible()
  const toggle = page.getByRole('button', { name: text('nav.collapse') })
  await expect(toggle).toHaveCount(1)
  await page.mouse.move(700, 300)
  await page.mouse.wheel(0, 50)
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(50)
  await expect(toggle).toHaveCount(1)
  await page.mouse.wheel(0, 30)
  await expect(toggle).toHaveCount(2)
  await toggle.last().click()
  await expect(page.getByRole('button', { name: text('nav.expand') }).last()).toHaveAttribute(
    'aria-expanded',
    'false',
  )
})

test('on a phone the floating toggle opens the menu, and the tabs at the bottom navigate', async ({
  page,
  server,
}) => {
  await page.setViewportSize(PHONE)
  await beLoggedIn(page, server, await server.newOwner())
  await page.goto('/settings?part=account')
  await expect(page.getByRole('heading', { name: text('account.profile') })).toBeVisible()
  await page.evaluate(() => scrollTo(0, 400))
  await button(page, text('nav.open')).click()
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByRole('link')).toHaveCount(3)
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await button(page, text('nav.open')).click()
  await drawer.getByRole('link', { name: text('nav.update') }).click()
  await expect(page).toHaveURL(/\/update$/)
  await expect(drawer).toBeHidden()
  await page
    .getByRole('navigation')
    .getByRole('link', { name: text('nav.dashboard') })
    .click()
  await expect(page).toHaveURL(/\/dashboard$/)
})

test('the title of the tab names the page in its language', async ({ page }) => {
  await page.goto('/login')
  await expect(page).toHaveTitle(`${text('page.login')} · Suncellar`)
  await page.getByLabel(text('top.language')).selectOption('en')
  await expect(page).toHaveTitle(`${text('page.login', {}, 'en')} · Suncellar`)
  await page.goto('/lock')
  await expect(page).toHaveTitle(`${text('page.lock', {}, 'en')} · Suncellar`)
})
