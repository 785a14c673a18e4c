/** Takes the pictures of the guides in `docs/guide`: small, light, and at noon of a sunny day. */
import { PHONE } from './harness/axe.ts'
import { ONE } from './harness/owners.ts'
import { open, setPreferences } from './harness/screens.ts'
import { type Account, PASSWORD } from './harness/server.ts'
import { beLoggedIn } from './harness/steps.ts'
import { test } from './harness/test.ts'

const FOLDER = new URL('../../docs/guide/pictures/', import.meta.url).pathname
const TABLET = { width: 1024, height: 640 }
const ELECTRICIAN: Account = { email: 'electrician@example.com', password: PASSWORD, role: 'electrician' }

const PICTURES = [
  { name: 'owner-dashboard', account: ONE, path: '/dashboard', size: PHONE },
  { name: 'owner-calendar', account: ONE, path: '/calendar', size: PHONE },
  { name: 'owner-grants', account: ONE, path: '/settings#grants', size: PHONE },
  { name: 'electrician-fleet', account: ELECTRICIAN, path: '/electrician-dashboard', size: TABLET },
]

test.use({ history: 20, startsAt: '2026-06-18T13:00', movesClock: 'weeks' })

for (const { name, account, path, size } of PICTURES)
  test(name, async ({ page, server }) => {
    await page.setViewportSize(size)
    await beLoggedIn(page, server, account)
    for (const language of ['de', 'en']) {
      await setPreferences(page, { language, dark: false })
      await open(page, path)
      await page.screenshot({ path: `${FOLDER}${name}-${language}.png` })
    }
  })
