/** The service worker, the installed app, and scripts that do not come. */
import type { Page } from '@playwright/test'
import { Front } from './harness/front.ts'
import { beLoggedIn, button, heading, logOutByMenu } from './harness/steps.ts'
import { test as base, expect } from './harness/test.ts'
import { text } from './harness/texts.ts'

const test = base.extend<{ front: Front }>({
  front: async ({ server }, use) => {
    const front = await Front.before(server.url)
    await use(front)
    await front.goAway().catch(() => undefined)
  },
})

const controlled = (page: Page) => page.waitForFunction(() => navigator.serviceWorker.controller !== null)

/** The first visit ends with the worker in charge and its cache filled. */
async function visit(page: Page, address: string) {
  await page.goto(address)
  await expect(heading(page)).toBeVisible()
  await controlled(page)
}

test.describe('with the service worker', () => {
  test.use({ serviceWorkers: 'allow' })

  test('a service worker is registered at the root, reloads nothing at first, and nothing stands against installing the app', async ({
    page,
    context,
    front,
  }) => {
    let loads = 0
    page.on('domcontentloaded', () => {
      loads += 1
    })
    await visit(page, `${front.url}/login`)
    const scope = await page.evaluate(async () => (await navigator.serviceWorker.ready).scope)
    expect(scope).toBe(`${front.url}/`)
    expect(loads).toBe(1)

    const devtools = await context.newCDPSession(page)
    const { errors } = await devtools.send('Page.getAppManifest')
    expect(errors).toEqual([])
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
    // Every context of a test is a private one; there nobody installs anything.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
  })

  test('without a network the app still opens and says that there is no connection', async ({
    page,
    front,
  }) => {
    await visit(page, `${front.url}/login`)
    await front.goAway()
    await page.reload()
    await expect(heading(page)).toHaveText(text('login.title'))
    await page.getByLabel(text('form.email'), { exact: true }).fill('a@example.org')
    await page.getByLabel(text('form.password'), { exact: true }).fill('Anything-1')
    await button(page, text('login.submit')).click()
    await expect(page.getByRole('alert')).toContainText(text('error.network'))
    // A page that was never visited is in the cache as well.
    await page.goto(`${front.url}/lock`)
    await expect(heading(page)).toHaveText(text('lock.title'))
  })

  test('a new version reloads the page exactly once', async ({ page, front }) => {
    await visit(page, `${front.url}/login`)
    let loads = 0
    page.on('domcontentloaded', () => {
      loads += 1
    })
    front.bringOutNewVersion()
    await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()))
    await expect.poll(() => loads).toBe(1)
    await expect(heading(page)).toBeVisible()
    // A worker that looks again finds nothing new, and one more version within the minute has to wait.
    await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()))
    front.bringOutNewVersion()
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

  test('no answer of the API is ever cached', async ({ page, server, front }) => {
    const owner = await server.newOwner()
    const tokens = await server.logIn(owner)
    await visit(page, `${front.url}/login`)
    await page.evaluate(({ access, refresh, role }) => {
      localStorage.setItem('refresh_token', refresh)
      localStorage.setItem('role', role)
      localStorage.setItem('access_token', access)
    }, tokens)
    for (const path of ['/dashboard', '/settings']) {
      await page.goto(front.url + path)
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

test('a page whose script does not come says so and can be loaded again', async ({
  page,
  server,
  trouble,
}) => {
  trouble.expect(/ERR_FAILED|Loading chunk failed|dynamically imported module/)
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

test('an app whose first script does not come says so instead of waiting for ever', async ({
  page,
  trouble,
}) => {
  trouble.expect(/ERR_FAILED/)
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
