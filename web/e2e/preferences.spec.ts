import type { Page } from '@playwright/test'
import { setPreferences } from './harness/screens.ts'
import { beLoggedIn, button, heading } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { LANGUAGES, text } from './harness/texts.ts'

const html = (page: Page) => page.locator('html')

test('a first visit is dark and German, whatever the browser asks for', async ({ browser, pageErrors }) => {
  const context = await browser.newContext({ locale: 'en-GB', colorScheme: 'light' })
  await pageErrors.watch(context)
  const page = await context.newPage()
  await page.goto('/login')
  await expect(heading(page)).toHaveText(text('login.title'))
  await expect(html(page)).toHaveAttribute('lang', 'de')
  await expect(html(page)).toHaveAttribute('data-theme', 'dark')
  await context.close()
})

test('language and theme are kept over a reload and a login', async ({ page, server }) => {
  await page.goto('/login')
  await page.getByLabel(text('top.language')).selectOption('pl')
  await expect(heading(page)).toHaveText(text('login.title', {}, 'pl'))
  await button(page, text('top.dark', {}, 'pl')).click()
  await expect(html(page)).toHaveAttribute('data-theme', 'light')
  await page.reload()
  await expect(heading(page)).toHaveText(text('login.title', {}, 'pl'))
  await expect(html(page)).toHaveAttribute('data-theme', 'light')
  await expect(html(page)).toHaveAttribute('lang', 'pl')

  await beLoggedIn(page, server, await server.newOwner())
  await page.goto('/dashboard')
  await expect(heading(page)).toHaveText(text('nav.dashboard', {}, 'pl'))
  await page.goto('/logout')
  await expect(heading(page)).toHaveText(text('login.title', {}, 'pl'))
  await expect(html(page)).toHaveAttribute('data-theme', 'light')
})

test('theme and language are set before the app has loaded, so that nothing flashes', async ({ page }) => {
  await page.goto('/healthz')
  await setPreferences(page, { language: 'fr', dark: false })
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/login', { waitUntil: 'commit' })
  await expect(page.locator('#root > [role=status]')).toBeVisible()
  await expect(html(page)).toHaveAttribute('data-theme', 'light')
  await expect(html(page)).toHaveAttribute('lang', 'fr')
  await expect(html(page)).toHaveCSS('background-color', 'rgb(244, 246, 249)')
  letGo()
  await expect(heading(page)).toHaveText(text('login.title', {}, 'fr'))
})

test('the settings dropdown switches light and dark and the five languages', async ({ page, server }) => {
  await beLoggedIn(page, server, await server.newOwner())
  await page.goto('/dashboard')
  let current: (typeof LANGUAGES)[number] = 'de'
  await button(page, text('top.display')).click()
  await page.getByRole('menuitemcheckbox', { name: text('top.dark') }).click()
  await expect(html(page)).toHaveAttribute('data-theme', 'light')
  await page.keyboard.press('Escape')
  for (const language of [...LANGUAGES.slice(1), 'de'] as const) {
    await button(page, text('top.display', {}, current)).click()
    await page.locator(`[role=menuitemradio]:has([lang=${language}])`).click()
    await expect(heading(page)).toHaveText(text('nav.dashboard', {}, language))
    await expect(html(page)).toHaveAttribute('lang', language)
    await page.keyboard.press('Escape')
    current = language
  }
})

test('an unknown language or theme in storage falls back to German and dark', async ({ page }) => {
  await page.goto('/healthz')
  await page.evaluate(() => {
    localStorage.setItem('language', 'tlh')
    localStorage.setItem('darkMode', 'perhaps')
  })
  await page.goto('/login')
  await expect(heading(page)).toHaveText(text('login.title'))
  await expect(html(page)).toHaveAttribute('lang', 'de')
  await expect(html(page)).toHaveAttribute('data-theme', 'dark')
})
