/** The service worker, the installed app, and scripts that fail to load. */
import type { Page } from '@playwright/test'
import { ServerProxy } from './harness/server-proxy.ts'
import { beLoggedIn, button, heading, logOutByMenu } from './harness/steps.ts'
import { test as base, expect } from './harness/test.ts'
import { text } from './harness/texts.ts'

const test = base.extend<{ serverProxy: ServerProxy }>({
  serverProxy: async ({ server }, use) => {
    const serverProxy = await ServerProxy.before(server.url)
    await use(serverProxy)
    await serverProxy.goOffline().catch(() => undefined)
  },
})

const controlled = (page: Page) => page.waitForFunction(() => navigator.serviceWorker.controller !== null)

/** A first visit, until the worker is active and its cache is filled. */
async function visit(page: Page, address: string) {
  await page.goto(address)
  await expect(heading(page)).toBeVisible()
  await controlled(page)
}

test.describe('with the service worker', () => {
  test.use({ serviceWorkers: 'allow' })

  test('a service worker is registered at the root, does not reload at first, and the app can be installed', async ({
    page,
    context,
    serverProxy,
  }) => {
    let loads = 0
    page.on('domcontentloaded', () => {
      loads += 1
    })
    await visit(page, `${serverProxy.url}/login`)
    const scope = await page.evaluate(async () => (await navigator.serviceWorker.ready).scope)
    expect(scope).toBe(`${serverProxy.url}/`)
    expect(loads).toBe(1)

    const devtools = await context.newCDPSession(page)
    const { errors } = await devtools.send('Page.getAppManifest')
    expect(errors).toEqual([])
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
    // Playwright's contexts are private, where apps cannot be installed.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
  })

  test('without a network the app still opens and says that there is no connection', async ({
    page,
    serverProxy,
  }) => {
    await visit(page, `${serverProxy.url}/login`)
    await serverProxy.goOffline()
    await page.reload()
    await expect(heading(page)).toHaveText(text('login.title'))
    await page.getByLabel(text('form.email'), { exact: true }).fill('a@example.org')
    await page.getByLabel(text('form.password'), { exact: true }).fill('Anything-1')
    await button(page, text('login.submit')).click()
    await expect(page.getByRole('alert')).toContainText(text('error.network'))
    // A page that was never visited is cached as well.
    await page.goto(`${serverProxy.url}/lock`)
    await expect(heading(page)).toHaveText(text('lock.title'))
  })

  test('a new version reloads the page exactly once', async ({ page, serverProxy }) => {
    await visit(page, `${serverProxy.url}/login`)
    let loads = 0
    page.on('domcontentloaded', () => {
      loads += 1
    })
    serverProxy.releaseNewVersion()
    await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()))
    await expect.poll(() => loads).toBe(1)
    await expect(heading(page)).toBeVisible()
    // An update check finds nothing new, and another version within a minute has to wait.
    await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()))
    serverProxy.releaseNewVersion()
    await page.evaluate(async () => {
      const changed = new Promise((resolve) =>
        navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
      )
      await (await navigator.serviceWorker.ready).update()
      await changed
    })
    await expect(heading(page)).toBeVisible()
    expect(loads).toBe(1)
  })

  test('no answer of the API is ever cached', async ({ page, server, serverProxy }) => {
    const owner = await server.newOwner()
    const tokens = await server.logIn(owner)
    await visit(page, `${serverProxy.url}/login`)
    await page.evaluate(({ access, refresh, role }) => {
      localStorage.setItem('refresh_token', refresh)
      localStorage.setItem('role', role)
      localStorage.setItem('access_token', access)
    }, tokens)
    for (const path of ['/dashboard', '/settings']) {
      await page.goto(serverProxy.url + path)
      await expect(heading(page)).toBeVisible()
      await expect(page.getByText(owner.serials[0] ?? '').first()).toBeVisible()
    }
    const cached = await page.evaluate(async () => {
      const caught = await Promise.all(
        (await caches.keys()).map(async (name) => (await caches.open(name)).keys()),
      )
      return caught.flat().map(({ url }) => new URL(url).pathname)
    })
    expect(cached.length).toBeGreaterThan(10)
    expect(cached.filter((path) => /^\/(api|config\.json|demo|healthz|readyz|metrics)/.test(path))).toEqual(
      [],
    )
  })
})

test('the manifest names the app and icons that load in their size', async ({ page }) => {
  await page.goto('/login')
  const address = await page.locator('link[rel=manifest]').getAttribute('href')
  const manifest = await page.evaluate(async (href) => (await fetch(href ?? '')).json(), address)
  expect(manifest).toMatchObject({
    name: 'Suncellar',
    display: 'standalone',
    start_url: '/login',
    scope: '/',
  })
  const purposes = manifest.icons.map(({ purpose }: { purpose: string }) => purpose)
  expect(purposes).toContain('maskable')
  for (const { src, sizes } of manifest.icons as { src: string; sizes: string }[]) {
    const size = await page.evaluate(async (icon) => {
      const image = new Image()
      image.src = icon
      await image.decode()
      return `${image.naturalWidth}x${image.naturalHeight}`
    }, src)
    if (sizes !== 'any') expect(size).toBe(sizes)
  }
})

test('a page whose script fails to load says so and can be reloaded', async ({
  page,
  server,
  pageErrors,
}) => {
  pageErrors.expect(/ERR_FAILED|Loading chunk failed|dynamically imported module/)
  await beLoggedIn(page, server, await server.newOwner())
  await page.goto('/dashboard')
  await expect(heading(page)).toHaveText(text('nav.dashboard'))
  const chunk = /\/assets\/(settings|account)[^/]*\.js$/
  await page.route(chunk, (route) => route.abort())
  await page
    .getByRole('link', { name: text('nav.settings') })
    .first()
    .click()
  await expect(heading(page)).toHaveText(text('failure.chunk'))
  await page.unroute(chunk)
  await button(page, text('failure.reload')).click()
  await expect(heading(page)).toHaveText(text('nav.settings'))
})

test('an app whose first script fails to load says so instead of waiting forever', async ({
  page,
  pageErrors,
}) => {
  pageErrors.expect(/ERR_FAILED/)
  await page.route(/\/assets\/base-.*\.js$/, (route) => route.abort())
  await page.goto('/login')
  await expect(page.getByRole('alert')).toContainText('Die Seite konnte nicht geladen werden.')
  await page.unroute(/\/assets\/base-.*\.js$/)
  await page.getByRole('button', { name: 'Seite neu laden' }).click()
  await expect(heading(page)).toHaveText(text('login.title'))
})

test('the app opens although its local database never answers', async ({ page, server }) => {
  await beLoggedIn(page, server, await server.newOwner())
  await page.addInitScript(() => {
    indexedDB.open = () => new EventTarget() as IDBOpenDBRequest
  })
  await page.goto('/dashboard')
  await expect(heading(page)).toHaveText(text('nav.dashboard'))
  await logOutByMenu(page)
  await expect(heading(page)).toHaveText(text('login.title'))
})
