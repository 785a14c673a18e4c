/** Takes the picture of the README. */
import { open, prefer } from './harness/screens.ts'
import { test } from './harness/test.ts'

const FOLDER = new URL('../../docs/pictures/', import.meta.url).pathname

test('the login page, dark', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/healthz')
  await prefer(page, { language: 'en' })
  await open(page, '/login')
  await page.screenshot({ path: `${FOLDER}login-dark.png` })
})
