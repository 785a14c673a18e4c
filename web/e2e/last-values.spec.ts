/** The installed app offline: last values with their time, and none after a logout. */
import type { Locator, Page } from '@playwright/test'
import { type Account, PASSWORD, type Server } from './harness/server.ts'
import { ServerProxy } from './harness/server-proxy.ts'
import { button, heading, logOutByMenu, seeAll, storedTokens } from './harness/steps.ts'
import { everythingStored } from './harness/stored.ts'
import { test as base, expect } from './harness/test.ts'
import { type MessageId, text } from './harness/texts.ts'

const test = base.extend<{ serverProxy: ServerProxy }>({
  serverProxy: async ({ server }, use) => {
    const serverProxy = await ServerProxy.before(server.url)
    await use(serverProxy)
    await serverProxy.goOffline().catch(() => undefined)
  },
})
test.use({ serviceWorkers: 'allow' })

const ONE: Account = { email: 'owner@example.com', password: PASSWORD, role: 'user' }
const THREE: Account = { email: 'family@example.com', password: PASSWORD, role: 'user' }

const card = (page: Page, id: MessageId) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name: text(id), exact: true }) })
const liveMark = (page: Page) => page.getByText(/^Live · \d\d:\d\d$/)
const asOf = (page: Page) => page.getByText(/^Stand \d\d:\d\d$/)

async function putTokens(page: Page, server: Server, account: Account) {
  await page.evaluate(
    ({ access, refresh, role }) => {
      localStorage.setItem('refresh_token', refresh)
      localStorage.setItem('role', role)
      localStorage.setItem('access_token', access)
    },
    await server.logIn(account),
  )
}

/** The contents of the offline cache. */
const kept = (page: Page) =>
  page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('suncellar-answers')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    try {
      if (!database.objectStoreNames.contains('answers')) return []
      return await new Promise<{ key: unknown[] }[]>((resolve) => {
        const request = database.transaction('answers').objectStore('answers').getAll()
        request.onsuccess = () => resolve(request.result)
      })
    } finally {
      database.close()
    }
  })

const keptKinds = async (page: Page) => new Set((await kept(page)).map(({ key: [kind] }) => kind))

/** Switches to another tab and back, which saves the cache at once. */
const switchTabAndBack = (page: Page) =>
  page.evaluate(() => {
    const setVisibility = (visibilityState: string) => {
      Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }
    setVisibility('hidden')
    setVisibility('visible')
  })

/** A first visit: the worker is active, the account is logged in, its values are shown and cached. */
async function visit(page: Page, server: Server, serverProxy: ServerProxy, account: Account) {
  await page.goto(`${serverProxy.url}/login`)
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await putTokens(page, server, account)
  await page.goto(`${serverProxy.url}/dashboard`)
  await expect(liveMark(page)).toBeVisible()
  await seeAll(page)
  await switchTabAndBack(page)
  await expect
    .poll(() => keptKinds(page))
    .toEqual(new Set(['systems', 'groups', 'live', 'tariff', 'savings', 'energy', 'graph']))
}

test('without a network the last values are shown with their time, and the app reconnects by itself', async ({
  page,
  server,
  serverProxy,
}) => {
  await page.clock.install({ time: Date.now() })
  await visit(page, server, serverProxy, ONE)
  const tokens = await storedTokens(page)
  const serial = (await page.getByRole('banner').textContent())?.match(/[0-9A-Z]{6,12}/)?.[0] ?? 'none'

  await serverProxy.goOffline()
  await page.clock.fastForward(120_000)
  await page.reload()
  await expect(heading(page)).toHaveText(text('nav.dashboard'))
  await expect(page.getByText(text('offline.title'), { exact: true })).toBeVisible()
  await expect(page.getByText(text('offline.last_values'))).toBeVisible()
  await expect(page.getByRole('heading', { name: text('sentence.stale') })).toBeVisible()
  await expect(asOf(page).first()).toBeVisible()
  for (const id of ['card.pv_power', 'card.soc', 'card.grid_voltage', 'card.energy'] as const) {
    await expect(card(page, id).locator('p').first()).toHaveText(/^[\d.,]+(W|kW|%|V|kWh)$/)
    await expect(card(page, id)).toContainText(/Stand \d\d:\d\d/)
  }
  await expect(page.getByText(/^Live/)).toHaveCount(0)
  await expect(page.locator('.flow-dots')).toHaveCount(0)

  // Offline is no logout, no empty house and no other page.
  await seeAll(page)
  await expect(page.getByRole('main').getByText(serial).first()).toBeVisible()
  expect(await storedTokens(page)).toEqual(tokens)
  expect(new URL(page.url()).pathname).toBe('/dashboard')

  await serverProxy.goOnline()
  await page.clock.fastForward(31_000)
  await expect(liveMark(page)).toBeVisible()
  await expect(page.getByText(text('offline.title'), { exact: true })).toBeHidden()
  await expect(page.getByText(/^Stand /)).toHaveCount(0)
})

test('ten minutes without a network end with fresh values and one request for them', async ({
  page,
  context,
  server,
  serverProxy,
}) => {
  await page.clock.install({ time: Date.now() })
  await visit(page, server, serverProxy, ONE)
  await context.setOffline(true)
  // Pending values may still arrive; then another ten minutes pass.
  await expect(async () => {
    await page.clock.fastForward(600_000)
    await expect(page.getByRole('heading', { name: text('sentence.stale') })).toBeVisible({ timeout: 3_000 })
  }).toPass({ timeout: 15_000 })
  await expect(asOf(page).first()).toBeVisible()
  await expect(page.getByText(/^Live/)).toHaveCount(0)

  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await context.setOffline(false)
  await expect(liveMark(page)).toBeVisible()
  const times = (path: string) => asked.filter((one) => one === path).length
  // The 30 s refresh may fall into the same second.
  expect(times('/api/auth/data/')).toBeLessThanOrEqual(2)
  expect(times('/api/auth/token/refresh/')).toBeLessThanOrEqual(1)
})

/** Presses "try again" where it is still there: the app also reconnects by itself. */
async function retryUntil(page: Page, shown: Locator) {
  const retry = button(page, text('ui.retry'))
  await expect(async () => {
    if ((await retry.count()) > 0) await retry.first().click({ timeout: 2_000 })
    await expect(shown).toBeVisible({ timeout: 2_000 })
  }).toPass()
}

test('without a network and without last values it waits, and logs nobody out', async ({
  page,
  server,
  serverProxy,
}) => {
  await page.goto(`${serverProxy.url}/login`)
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await putTokens(page, server, ONE)
  await serverProxy.goOffline()
  await page.goto(`${serverProxy.url}/dashboard`)
  await expect(page.getByText(text('offline.no_values'))).toBeVisible()
  await seeAll(page)
  await expect(page.getByText(text('systems.failed'))).toBeVisible()
  await expect(page.getByText(text('logged_out.no_systems'))).toBeHidden()
  expect((await storedTokens(page)).access).not.toBeNull()
  await serverProxy.goOnline()
  await retryUntil(page, liveMark(page))
  await expect(page.getByText(text('systems.failed'))).toBeHidden()
})

test('a logout erases the last values', async ({ page, server, serverProxy }) => {
  await visit(page, server, serverProxy, ONE)
  await logOutByMenu(page)
  expect(await kept(page)).toEqual([])
  await serverProxy.goOffline()
  await page.goto(`${serverProxy.url}/dashboard`)
  await expect(heading(page)).toHaveText(text('login.title'))
})

test('a forced logout erases the last values', async ({ page, server, serverProxy }) => {
  const owner = await server.newOwner()
  await page.goto(`${serverProxy.url}/login`)
  await putTokens(page, server, owner)
  await page.goto(`${serverProxy.url}/dashboard`)
  await seeAll(page)
  await switchTabAndBack(page)
  await expect.poll(() => keptKinds(page)).toContain('systems')
  const { access } = await storedTokens(page)
  await server.post('/api/auth/logout/', { all: '1' }, 204, { Authorization: `Bearer ${access}` })
  await page.waitForURL('**/login')
  await expect(page.getByRole('dialog', { name: text('logged_out.title') })).toBeVisible()
  const stored = await everythingStored(page)
  for (const sn of owner.serials) expect(stored).not.toContain(sn)
})

test('the last values of one account are never shown to the next', async ({ page, server, serverProxy }) => {
  await visit(page, server, serverProxy, ONE)
  const mine = (await kept(page)).length
  expect(mine).toBeGreaterThan(3)
  // The worst case: no logout in between, and the network is gone before the first answer.
  await page.goto(`${serverProxy.url}/healthz`)
  await putTokens(page, server, THREE)
  await serverProxy.goOffline()
  await page.goto(`${serverProxy.url}/dashboard`)
  await expect(page.getByText(text('offline.no_values'))).toBeVisible()
  await seeAll(page)
  await expect(page.getByText(text('systems.failed'))).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(0)
  expect(await kept(page)).toEqual([])

  await serverProxy.goOnline()
  await retryUntil(page, page.getByRole('button', { name: text('selector.all') }))
})

test('two people use one browser one after the other, each with their own systems', async ({
  page,
  server,
  serverProxy,
}) => {
  await visit(page, server, serverProxy, ONE)
  const serial = (await page.getByRole('banner').textContent())?.match(/[0-9A-Z]{6,12}/)?.[0] ?? 'none'
  await logOutByMenu(page)
  await page.getByLabel(text('form.email'), { exact: true }).fill(THREE.email)
  await page.getByLabel(text('form.password'), { exact: true }).fill(THREE.password)
  await button(page, text('login.submit')).click()
  await page.waitForURL('**/dashboard')
  await expect(page.getByRole('button', { name: text('selector.all') })).toBeVisible()
  await expect(page.getByText(serial)).toHaveCount(0)
  await expect.poll(() => keptKinds(page)).toContain('live')
  expect(await everythingStored(page)).not.toContain(serial)
})
