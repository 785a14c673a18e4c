import { beLoggedIn, heading } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

/** The target of each visitor for every path (specification 4). */
const TARGETS: [path: string, guest: string, owner: string, electrician: string][] = [
  ['/', '/login', '/dashboard', '/electrician-dashboard'],
  ['/login', '/login', '/dashboard', '/electrician-dashboard'],
  ['/register', '/register', '/dashboard', '/electrician-dashboard'],
  ['/connect', '/login', '/dashboard', '/electrician-dashboard'],
  ['/enrol', '/login', '/dashboard', '/enrol'],
  ['/lock', '/lock', '/lock', '/lock'],
  ['/password_reset', '/password_reset', '/password_reset', '/password_reset'],
  ['/login_cleverpv', '/login_cleverpv', '/login_cleverpv', '/login_cleverpv'],
  ['/dashboard', '/login', '/dashboard', '/electrician-dashboard'],
  ['/electrician-dashboard', '/login', '/dashboard', '/electrician-dashboard'],
  ['/settings', '/login', '/settings', '/electrician-settings'],
  ['/electrician-settings', '/login', '/dashboard', '/electrician-settings'],
  ['/calendar', '/login', '/calendar', '/calendar'],
  ['/charts', '/login', '/charts', '/charts'],
  ['/alarms', '/login', '/alarms', '/alarms'],
  ['/plan', '/login', '/plan', '/electrician-dashboard'],
  ['/update', '/login', '/update', '/update'],
]

const VISITORS = ['guest', 'owner', 'electrician'] as const

for (const [column, visitor] of VISITORS.entries()) {
  test(`every address leads where it should for the visitor ${visitor}`, async ({ page, server }) => {
    if (visitor === 'owner') await beLoggedIn(page, server, await server.newOwner())
    if (visitor === 'electrician') await beLoggedIn(page, server, await server.newElectrician())
    for (const [path, ...ends] of TARGETS) {
      await test.step(path, async () => {
        await page.goto(path)
        await expect(heading(page)).toBeVisible()
        expect(new URL(page.url()).pathname).toBe(ends[column])
      })
    }
  })
}

test('an address that does not exist shows the 404 page with a way home', async ({ page, server }) => {
  await page.goto('/no/such/page')
  await expect(heading(page)).toHaveText(text('not_found.title'))
  await expect(page).toHaveTitle(new RegExp(text('not_found.title')))
  await page.getByRole('link', { name: text('not_found.action') }).click()
  await expect(page).toHaveURL(/\/login$/)

  await beLoggedIn(page, server, await server.newOwner())
  await page.goto('/no/such/page')
  await page.getByRole('link', { name: text('not_found.action') }).click()
  await expect(page).toHaveURL(/\/dashboard$/)
})

test('pages without data have their heading and no invented data', async ({ page, server }) => {
  await beLoggedIn(page, server, await server.newOwner())
  for (const [path, title, empty] of [
    ['/calendar', 'calendar.title', 'calendar.empty'],
    ['/charts', 'charts.title', 'chart.empty'],
    ['/update', 'nav.update', 'update.none.text'],
  ] as const) {
    await page.goto(path)
    await expect(heading(page)).toHaveText(text(title))
    await expect(page.getByRole('main').getByText(text(empty))).toBeVisible()
    // The calendar's legend contains numbers.
    const values = page.getByRole(path === '/calendar' ? 'grid' : 'main')
    await expect(values).not.toContainText(/\d+([.,]\d+)?\s*(k?Wh?|%|V)\b/)
  }
})
