/** What must not happen, seen from the browser (checks 8, 29, 30, 32). */
import type { Page } from '@playwright/test'
import { beLoggedIn, button, heading, logIn, logOutByMenu, storedTokens } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

/** Each sets `window.attacked` or opens a dialog where it is taken for markup, script or an address. */
const ATTACKS = [
  '<img src=x onerror="window.attacked=1">',
  '"><script>window.attacked=1</script>',
  "'-alert(1)-'",
  'javascript:window.attacked=1',
  '<svg/onload=window.attacked=1>',
  '<iframe srcdoc="<script>parent.attacked=1</script>">',
  '{{constructor.constructor("window.attacked=1")()}}',
  '</title><script>window.attacked=1</script>',
]

async function expectHarmless(page: Page) {
  expect(await page.evaluate(() => 'attacked' in window)).toBe(false)
  await expect(
    page.locator('img[src=x], iframe, svg[onload], main script, a[href^="javascript:"]'),
  ).toHaveCount(0)
}

test('the start page carries every security header', async ({ request }) => {
  const headers = (await request.get('/')).headers()
  const policy = headers['content-security-policy'] ?? ''
  expect(policy).not.toMatch(/unsafe-inline|unsafe-eval/)
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "object-src 'none'"]) {
    expect(policy).toContain(rule)
  }
  expect(policy).toContain("base-uri 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(headers['x-frame-options']).toBe('DENY')
  expect(headers['referrer-policy']).toBe('no-referrer')
  expect(headers['cross-origin-opener-policy']).toBe('same-origin')
  expect(headers['permissions-policy']).toContain('camera=()')
})

test('the CSP of the page stops inline script and foreign requests', async ({ page, trouble }) => {
  trouble.expect(/Content Security Policy|CSP violation/)
  await page.goto('/login')
  const foreign = await page.evaluate(async () => {
    const script = document.createElement('script')
    script.textContent = 'window.attacked = 1'
    document.head.append(script)
    return fetch('https://evil.example/').then(
      () => 'sent',
      () => 'stopped',
    )
  })
  expect(foreign).toBe('stopped')
  expect(await page.evaluate(() => 'attacked' in window)).toBe(false)
  expect(trouble.all().join()).toMatch(/script-src.*connect-src/s)
})

test('role=electrician in local storage yields no data', async ({ page, server }) => {
  const owner = await server.newOwner()
  const stranger = await server.newOwner()
  await logIn(page, owner)
  await page.evaluate(() => localStorage.setItem('role', 'electrician'))
  for (const path of ['/electrician-dashboard', '/electrician-settings']) {
    await page.goto(path)
    await expect(heading(page)).toBeVisible()
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
    const shown = (await page.locator('body').textContent()) ?? ''
    for (const foreign of [
      ...stranger.serials,
      stranger.email,
      'SC24A0001',
      'SC24B0001',
      'owner@example.com',
    ]) {
      expect(shown).not.toContain(foreign)
    }
  }
  const { access } = await storedTokens(page)
  const answer = await fetch(`${server.url}/api/auth/usr_sn/`, {
    headers: { Authorization: `Bearer ${access}` },
  })
  const systems = (await answer.json()) as { sn: string }[]
  expect(systems.map(({ sn }) => sn)).toEqual(owner.serials)
})

test('role=electrician in the local storage of a guest opens nothing', async ({ page }) => {
  await page.goto('/healthz')
  await page.evaluate(() => localStorage.setItem('role', 'electrician'))
  await page.goto('/electrician-dashboard')
  await page.waitForURL('**/login')
})

test('scripts in the name of a company render as text', async ({ page, server }) => {
  for (const attack of ATTACKS) {
    await beLoggedIn(page, server, await server.newElectrician(attack))
    await page.goto('/electrician-settings')
    await expect(page.getByLabel(text('form.company'), { exact: true })).toHaveValue(attack)
    await expectHarmless(page)
  }
})

test('scripts in the name of a partner app render as text', async ({ page, server }) => {
  await beLoggedIn(page, server, await server.newOwner())
  for (const attack of ATTACKS) {
    const { id, redirect } = await server.newPartner(attack)
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: id,
      redirect_uri: redirect,
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      scope: 'systems',
      state: attack,
    })
    await page.goto(`/login_cleverpv?${query}`)
    await expect(heading(page)).toHaveText(text('partner.title', { app: attack }))
    await expectHarmless(page)
  }
})

test('scripts in the answers of the server render as text', async ({ page, server }) => {
  await beLoggedIn(page, server, await server.newOwner())
  const systems = ATTACKS.map((attack) => ({
    sn: attack,
    phase: 1,
    master_version: attack,
    gateway_version: attack,
    slave_version: attack,
    first_name: attack,
    last_name: attack,
    group_name: attack,
    access: attack,
  }))
  await page.route('**/api/auth/usr_sn/', (route) => route.fulfill({ json: systems }))
  await page.goto('/dashboard')
  for (const attack of ATTACKS)
    await expect(page.getByRole('main').getByText(attack, { exact: true })).toBeVisible()
  await expectHarmless(page)
})

test('scripts in errors of the server render as text', async ({ page }) => {
  const detail = ATTACKS.join(' ')
  await page.route('**/api/auth/token/', (route) =>
    route.fulfill({ status: 401, json: { detail, code: 'invalid_credentials' } }),
  )
  await page.goto('/login')
  await page.getByLabel(text('form.email'), { exact: true }).fill('a@example.org')
  await page.getByLabel(text('form.password'), { exact: true }).fill('x')
  await button(page, text('login.submit')).click()
  await expect(page.getByRole('alert')).toContainText(detail)
  await expectHarmless(page)
})

test('scripts in addresses and in storage are inert', async ({ page }) => {
  await page.goto('/healthz')
  await page.evaluate(() => {
    for (const key of ['language', 'role', 'darkMode', 'logoutNotification', 'updates', 'updateStarted']) {
      localStorage.setItem(key, '<img src=x onerror="window.attacked=1">')
    }
    sessionStorage.setItem(
      'session',
      '{"state":{"serials":"<img src=x onerror=window.attacked=1>"},"version":1}',
    )
  })
  for (const attack of ATTACKS.map(encodeURIComponent)) {
    for (const address of [
      `/login?next=${attack}`,
      `/register#confirm=${attack}`,
      `/lock#${attack}`,
      `/${attack}`,
    ]) {
      await page.goto(address)
      await expect(heading(page)).toBeVisible()
      await expectHarmless(page)
    }
  }
})

test('after logout nothing of the person is left in the browser', async ({ page, context, server }) => {
  const owner = await server.newOwner()
  await logIn(page, owner)
  await page.goto('/settings')
  await expect(page.getByText(owner.email).first()).toBeVisible()
  await page.evaluate((sn) => {
    localStorage.setItem(`settings_${sn}`, '{"reserve_soc":10}')
    localStorage.setItem('updateStarted', sn)
    localStorage.setItem('updates', sn)
  }, owner.serials[0] ?? '')
  const { access, refresh } = await storedTokens(page)
  const secrets = [access ?? '', refresh ?? '', owner.email, ...owner.serials]
  const before = await everythingStored(page)
  for (const secret of [access ?? '', owner.serials[0] ?? '']) expect(before).toContain(secret)

  await logOutByMenu(page)
  await expect(heading(page)).toHaveText(text('login.title'))
  const after = await everythingStored(page)
  for (const secret of secrets) expect(after).not.toContain(secret)
  expect(JSON.stringify(await context.cookies())).not.toContain(owner.email)
})

/** Local storage, session storage, every database and every cache, as one text. */
function everythingStored(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const opened = (name: string) =>
      new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(name)
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const records = (store: IDBObjectStore) =>
      new Promise<unknown[]>((resolve, reject) => {
        const request = store.getAll()
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const found: unknown[] = [{ ...localStorage }, { ...sessionStorage }]
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await opened(name)
      for (const store of database.objectStoreNames) {
        found.push(await records(database.transaction(store).objectStore(store)))
      }
      database.close()
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const request of await cache.keys()) found.push(request.url)
    }
    return JSON.stringify(found)
  })
}
