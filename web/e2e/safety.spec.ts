/** What must not happen, seen from the browser (checks 8, 29, 30, 32). */
import type { Page } from '@playwright/test'
import { beLoggedIn, button, heading, logIn, logOutByMenu, seeAll, storedTokens } from './harness/steps.ts'
import { everythingStored } from './harness/stored.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

/** Each sets `window.attacked` or opens a dialog if it is interpreted as markup, script or an address. */
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

test('the start page has every security header', async ({ request }) => {
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
  // Geolocation is allowed for the portal's own pages only.
  expect(headers['permissions-policy']).toBe(
    'camera=(), microphone=(), geolocation=(self), payment=(), usb=()',
  )
})

test('the CSP of the page stops inline script and foreign requests', async ({ page, pageErrors }) => {
  pageErrors.expect(/Content Security Policy|CSP violation/)
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
  expect(pageErrors.all().join()).toMatch(/script-src.*connect-src/s)
})

test('role=electrician in local storage yields no data', async ({ page, server }) => {
  const owner = await server.newOwner()
  const stranger = await server.newOwner()
  await beLoggedIn(page, server, owner)
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
    await page.goto('/electrician-settings?part=account')
    // Names in mails must not become links: no dot within a word.
    const stored = attack.replace(/\.(?=\p{L})/gu, '. ')
    await expect(page.getByLabel(text('form.company'), { exact: true })).toHaveValue(stored)
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
  // Without values the page keeps waiting.
  await heading(page).waitFor()
  await page.keyboard.press('End')
  for (const attack of ATTACKS) {
    const group = page.getByRole('region', { name: attack, exact: true })
    await expect(group.getByText(attack, { exact: true }).first()).toBeVisible()
    await expect(group.getByText(`· ${attack} ${attack}`, { exact: true })).toBeVisible()
  }
  await expectHarmless(page)
})

test('scripts in the names of groups render as text', async ({ page, server }) => {
  const owner = await server.newOwner(2)
  await beLoggedIn(page, server, owner)
  const { access } = await storedTokens(page)
  const bearer = { Authorization: `Bearer ${access}` }
  for (const [place, name] of ATTACKS.entries())
    await server.post('/api/auth/group/', { name, sn: owner.serials[place] ?? '' }, 201, bearer)
  await page.goto('/dashboard')
  await seeAll(page)
  for (const attack of ATTACKS)
    await expect(page.getByRole('heading', { name: attack, exact: true })).toBeVisible()
  const [first = ''] = ATTACKS
  await page.getByRole('button', { name: text('selector.all') }).click()
  await expect(page.getByRole('group', { name: first, exact: true })).toContainText(owner.serials[0] ?? '')
  await page.keyboard.press('Escape')
  await button(page, text('groups.edit.label', { name: first })).click()
  await expect(page.getByLabel(text('groups.name'), { exact: true })).toHaveValue(first)
  await button(page, text('groups.save')).click()
  await expect(page.getByText(text('groups.changed', { name: first }))).toBeVisible()
  await expectHarmless(page)
})

test('scripts in what a battery reports render as text', async ({ page, server, pageErrors }) => {
  pageErrors.expect(/ERR_FAILED/)
  await page.route('**/api/auth/stream/**', (route) => route.abort())
  await page.route('**/api/auth/data/**', async (route) => {
    const answer = await route.fetch()
    const { data, ...rest } = (await answer.json()) as { data: Record<string, object>[] }
    const last_messages = ATTACKS.map((attack, place) => ({
      time: attack,
      code: place % 2 === 0 ? 'na_u_high' : 'bms_fault',
      text: attack,
      on: true,
    }))
    const attacked = data.map((entry) =>
      Object.fromEntries(
        Object.entries(entry).map(([sn, live]) => [
          sn,
          { ...live, battery_status: ATTACKS[0], last_messages },
        ]),
      ),
    )
    await route.fulfill({ response: answer, json: { ...rest, data: attacked } })
  })
  await beLoggedIn(page, server, await server.newOwner())
  await page.goto('/dashboard')
  await seeAll(page)
  for (const attack of ATTACKS)
    await expect(page.getByRole('listitem').filter({ hasText: attack }).first()).toBeVisible()
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
  await page.goto('/settings?part=account')
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
