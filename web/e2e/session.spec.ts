/** The session's life: tokens, tabs, refreshes (specification 4 and 8; checks 13). */
import type { Page, Request } from '@playwright/test'
import type { Account, Owner, Server } from './harness/server.ts'
import {
  beLoggedIn,
  button,
  heading,
  logIn,
  logOutByMenu,
  seeAll,
  settled,
  storedTokens,
} from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

test.use({ movesClock: 'weeks' })

const REFRESH = '**/api/auth/token/refresh/'

/** An access token lives 15 minutes. */
const TOKEN_EXPIRES = 16

const loggedOutDialog = (page: Page) => page.getByRole('dialog', { name: text('logged_out.title') })

/**
 * The system is in the dashboard's list, which has to be scrolled to. A renewed token may reload the page
 * meanwhile.
 */
async function seesSystem(page: Page, { serials }: Owner) {
  await expect(async () => {
    await seeAll(page)
    const system = page.getByRole('main').getByText(serials[0] ?? '')
    await expect(system).toBeVisible({ timeout: 3_000 })
  }).toPass()
}

/** Opens the dashboard with a stored session. */
async function enter(page: Page, server: Server, account: Account) {
  await beLoggedIn(page, server, account)
  await page.goto('/dashboard')
  await expect(heading(page)).toBeVisible()
  await settled(page)
}

/** Counts events of a page from now on. */
function count(page: Page, happens: (page: Page, tick: () => void) => void): () => number {
  let n = 0
  happens(page, () => {
    n += 1
  })
  return () => n
}

const countLoads = (page: Page) => count(page, (it, tick) => it.on('domcontentloaded', tick))

const countRequests = (page: Page, method: string, path: string) =>
  count(page, (it, tick) =>
    it.on('request', (request) => {
      if (request.method() === method && new URL(request.url()).pathname === path) tick()
    }),
  )

/**
 * Delays the page's own reads until the tokens are renewed; otherwise one of them, and not the tested action,
 * could meet the expired token first.
 */
async function holdReads(page: Page): Promise<() => Promise<void>> {
  let held = false
  const underWay = new Set<Request>()
  await page.route('**/api/auth/**', async (route) => {
    const request = route.request()
    if (request.method() !== 'GET') return route.fallback()
    if (held) return
    underWay.add(request)
    await route.fallback()
  })
  page.on('requestfinished', (request) => underWay.delete(request))
  page.on('requestfailed', (request) => underWay.delete(request))
  page.on('request', (request) => {
    if (request.url().endsWith('/api/auth/token/refresh/')) held = false
  })
  return async () => {
    held = true
    await expect.poll(() => underWay.size).toBe(0)
  }
}

test('an expired token is renewed with one reload, and later ones without any', async ({ page, server }) => {
  const owner = await server.newOwner()
  await logIn(page, owner)
  const before = await storedTokens(page)
  const loads = countLoads(page)

  await server.passMinutes(TOKEN_EXPIRES)
  // The live page may notice before the click, and its one reload may swallow the click.
  await expect(async () => {
    await page
      .getByRole('link', { name: text('nav.settings') })
      .first()
      .click()
    await expect(page.getByRole('heading', { name: text('settings.title') })).toBeVisible({ timeout: 3_000 })
  }).toPass()
  await expect.poll(loads).toBe(1)
  await expect(page).toHaveURL(/\/settings$/)
  const after = await storedTokens(page)
  expect(after.access).not.toBe(before.access)
  expect(after.refresh, 'the refresh token is rotated').not.toBe(before.refresh)

  await server.passMinutes(TOKEN_EXPIRES)
  await page
    .getByRole('link', { name: text('nav.dashboard') })
    .first()
    .click()
  await page
    .getByRole('link', { name: text('nav.settings') })
    .first()
    .click()
  await button(page, text('settings.load')).click()
  await expect.poll(async () => (await storedTokens(page)).access).not.toBe(after.access)
  expect(loads()).toBe(1)
})

test('an expired token at the start of the app does not end the session', async ({ page, server }) => {
  const owner = await server.newOwner()
  await beLoggedIn(page, server, owner)
  await server.passMinutes(TOKEN_EXPIRES)
  await page.goto('/dashboard')
  await seesSystem(page, owner)
  await expect(loggedOutDialog(page)).toBeHidden()
})

test('a form that meets an expired token is never sent twice', async ({ page, server }) => {
  const { serials } = await server.newSite()
  const [sn = ''] = serials
  const hold = await holdReads(page)
  // A stream that never answers.
  await page.route('**/api/auth/stream/**', () => {})
  await beLoggedIn(page, server, await server.newOwner())
  await page.goto('/settings?part=account')
  const input = page.getByLabel(text('keys.label'), { exact: true })
  const posts = countRequests(page, 'POST', '/api/auth/usr_sn/')
  const loads = countLoads(page)

  await input.fill(sn)
  await hold()
  await server.passMinutes(TOKEN_EXPIRES)
  const refreshed = page.waitForResponse(REFRESH)
  await button(page, text('keys.add')).click()
  await refreshed
  await expect.poll(loads).toBe(1)
  await expect(page.getByRole('heading', { name: text('account.systems') })).toBeVisible()
  expect(posts()).toBe(1)

  // This session's reload is used up: now the form stays, shows the error and can be submitted again.
  await input.fill(sn)
  await hold()
  await server.passMinutes(TOKEN_EXPIRES)
  await button(page, text('keys.add')).click()
  await expect(page.getByRole('alert')).toBeVisible()
  expect(posts()).toBe(2)
  await button(page, text('keys.add')).click()
  await expect(page.getByRole('region', { name: text('claims.title') })).toContainText(sn)
  expect(posts()).toBe(3)
  expect(loads()).toBe(1)
})

test('ten tabs whose token expired at once all stay logged in', async ({ page, context, server }) => {
  const owner = await server.newOwner()
  await beLoggedIn(page, server, owner)
  const others = await Promise.all(Array.from({ length: 9 }, () => context.newPage()))
  const tabs = [page, ...others]
  // Ten dashboards would measure the machine's rendering speed.
  await Promise.all(tabs.map((tab) => tab.goto('/settings?part=account')))
  for (const tab of tabs) await expect(tab.getByRole('main').getByText(owner.serials[0] ?? '')).toBeVisible()

  const refreshes: number[] = []
  context.on('response', (response) => {
    if (response.url().endsWith('/api/auth/token/refresh/')) refreshes.push(response.status())
  })
  await server.passMinutes(TOKEN_EXPIRES)
  await Promise.all(tabs.map((tab) => tab.reload()))
  for (const tab of tabs) {
    await expect(tab.getByRole('main').getByText(owner.serials[0] ?? '')).toBeVisible()
    await expect(loggedOutDialog(tab)).toBeHidden()
    expect(new URL(tab.url()).pathname).toBe('/settings')
  }
  // Usually one. A tab that does not have the new tokens yet also refreshes, and gets the same ones.
  expect(new Set(refreshes)).toEqual(new Set([200]))
})

test('ten refreshes at once with the same token, as without Web Locks, log nobody out', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  await beLoggedIn(page, server, owner)
  const { refresh } = await storedTokens(page)
  // Away from the app, whose live page would refresh too.
  await page.goto('/boot.js')
  await server.passMinutes(TOKEN_EXPIRES)
  const send = () => page.request.post('/api/auth/token/refresh/', { form: { refresh: refresh ?? '' } })
  const responses = await Promise.all(Array.from({ length: 10 }, send))
  const answers = await Promise.all(
    responses.map(async (response) => ((await response.json()) as { refresh: string }).refresh),
  )
  expect(new Set(answers).size, 'all ten get the same successor').toBe(1)
  await page.goto('/dashboard')
  await seesSystem(page, owner)
})

test('no network during a refresh is no logout', async ({ page, server, pageErrors }) => {
  pageErrors.expect(/ERR_FAILED/)
  const owner = await server.newOwner()
  await enter(page, server, owner)
  const tokens = await storedTokens(page)
  // Before the clock is advanced, because the live page may notice at once.
  await page.route(REFRESH, (route) => route.abort())
  await server.passMinutes(TOKEN_EXPIRES)
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/token/refresh/'))
  await page
    .getByRole('link', { name: text('nav.settings') })
    .first()
    .click()
  await failed
  await expect(page.getByRole('main').getByRole('alert').first()).toBeVisible()
  expect(await storedTokens(page)).toEqual(tokens)
  await expect(loggedOutDialog(page)).toBeHidden()

  // The event stream reconnects by itself, and everything is refetched.
  await page.unroute(REFRESH)
  await expect(page.getByLabel(text('setting.reserve_soc'), { exact: true })).toBeVisible()
})

test('a session that ended on the server shows the "Logged Out" dialog once', async ({ page, server }) => {
  const owner = await server.newOwner()
  await enter(page, server, owner)
  const { access } = await storedTokens(page)
  await server.post('/api/auth/logout/', { all: '1' }, 204, { Authorization: `Bearer ${access}` })
  // The page's live data is refused without any click. The page may navigate there twice.
  await expect(page).toHaveURL(/\/login$/)
  await expect(loggedOutDialog(page)).toContainText(text('logged_out.session_ended'))
  await button(page, text('logged_out.ok')).click()
  await expect(loggedOutDialog(page)).toBeHidden()
  await page.reload()
  await expect(heading(page)).toHaveText(text('login.title'))
  await expect(loggedOutDialog(page)).toBeHidden()
})

test('a logout in one tab logs out the other tab', async ({ page, context, server }) => {
  const owner = await server.newOwner()
  await enter(page, server, owner)
  const other = await context.newPage()
  await other.goto('/settings')
  await expect(heading(other)).toHaveText(text('nav.settings'))
  await logOutByMenu(page)
  await other.waitForURL('**/login')
  await expect(loggedOutDialog(other)).toContainText(text('logged_out.session_ended'))
  await expect(other.getByText(owner.email)).toBeHidden()
  expect(await storedTokens(page)).toEqual({ access: null, refresh: null })
})

test('an access token deleted in another tab is renewed', async ({ page, context, server }) => {
  const owner = await server.newOwner()
  await enter(page, server, owner)
  const other = await context.newPage()
  await other.goto('/healthz')
  const { refresh } = await storedTokens(page)
  await other.evaluate(() => localStorage.removeItem('access_token'))
  await expect.poll(async () => (await storedTokens(page)).refresh).not.toBe(refresh)
  await expect.poll(async () => (await storedTokens(page)).access).not.toBeNull()
  await page
    .getByRole('link', { name: text('nav.settings') })
    .first()
    .click()
  await expect(page.getByLabel(text('setting.reserve_soc'), { exact: true })).toBeVisible()
})

test('an access token deleted in another tab logs out when there is no refresh token', async ({
  page,
  context,
  server,
}) => {
  await enter(page, server, await server.newOwner())
  const other = await context.newPage()
  await other.goto('/healthz')
  await other.evaluate(() => {
    localStorage.removeItem('refresh_token')
    localStorage.removeItem('access_token')
  })
  await page.waitForURL('**/login')
  await expect(loggedOutDialog(page)).toBeVisible()
})

test('"stay logged in" decides whether the session outlives twelve hours', async ({ page, server }) => {
  const owner = await server.newOwner()
  await logIn(page, owner)
  // An open page would notice by itself, and cancel the navigation.
  await page.goto('about:blank')
  await server.passMinutes(13 * 60)
  await page.goto('/dashboard')
  await page.waitForURL('**/login')
  await button(page, text('logged_out.ok')).click()

  await page.getByText(text('login.stay')).click()
  await page.getByLabel(text('form.email'), { exact: true }).fill(owner.email)
  await page.getByLabel(text('form.password'), { exact: true }).fill(owner.password)
  await button(page, text('login.submit')).click()
  await page.waitForURL('**/dashboard')
  await page.goto('about:blank')
  await server.passMinutes(20 * 24 * 60)
  await page.goto('/dashboard')
  await seesSystem(page, owner)
})

test('the tokens are copied to the local database, and the store is kept in session storage', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  await logIn(page, owner)
  await seesSystem(page, owner)
  const { copy, session } = await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('suncellar')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    const copy = await new Promise<{ access: string }>((resolve) => {
      const request = database.transaction('tokens').objectStore('tokens').get('current')
      request.onsuccess = () => resolve(request.result)
    })
    database.close()
    return { copy, session: sessionStorage.getItem('session') }
  })
  expect(copy.access).toBe((await storedTokens(page)).access)
  expect(session).toContain(owner.serials[0])
})

test('systems that changed since the last start lead to the dashboard', async ({ page, server }) => {
  const owner = await server.newOwner(2)
  await enter(page, server, owner)
  await page.goto('/calendar')
  await expect(page.getByRole('banner')).toContainText('2 Anlagen')
  const { access } = await storedTokens(page)
  await fetch(`${server.url}/api/auth/usr_sn/${owner.serials[0]}/`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${access}` },
    body: new URLSearchParams({ password: owner.password }),
  })
  await page.reload()
  await expect(heading(page)).toHaveText(text('nav.dashboard'))
  await seeAll(page)
  await expect(page.getByRole('main').getByText(owner.serials[1] ?? '')).toBeVisible()
  await expect(page.getByText(owner.serials[0] ?? '')).toBeHidden()
})

test('an owner whose last system is gone is logged out with the "no systems" text', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  await enter(page, server, owner)
  const { access } = await storedTokens(page)
  await fetch(`${server.url}/api/auth/usr_sn/${owner.serials[0]}/`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${access}` },
    body: new URLSearchParams({ password: owner.password }),
  })
  await page.reload()
  await page.waitForURL('**/login')
  await expect(loggedOutDialog(page)).toContainText(text('logged_out.no_systems'))
})
