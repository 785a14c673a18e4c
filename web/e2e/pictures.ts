/** Takes the picture of the README. */
import { DESK } from './harness/axe.ts'
import { ONE } from './harness/owners.ts'
import { open, setPreferences } from './harness/screens.ts'
import { beLoggedIn } from './harness/steps.ts'
import { test } from './harness/test.ts'

const FOLDER = new URL('../../docs/pictures/', import.meta.url).pathname

// A month of money and energy.
test.use({ history: 40 })

test('the dashboard, dark', async ({ page, server }) => {
  await page.setViewportSize(DESK)
  await beLoggedIn(page, server, ONE)
  await setPreferences(page, { language: 'en' })
  await open(page, '/dashboard')
  await page.screenshot({ path: `${FOLDER}dashboard-dark.png` })
})
