/** A partner app asks for access, the owner decides, and can revoke it (OAuth 2 code with PKCE). */
import { createHash, randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { Partner, Server } from './harness/server.ts'
import { beLoggedIn, button, heading, logIn, sendLogin } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

test.use({ movesClock: 'weeks' })

const verifier = randomBytes(32).toString('base64url')

/** The address to which an app sends its user. */
function request({ id, redirect }: Partner, changes: Record<string, string> = {}): string {
  const query = {
    response_type: 'code',
    client_id: id,
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'systems live',
    state: '007',
    ...changes,
  }
  return `/login_cleverpv?${new URLSearchParams(query)}`
}

const exchange = (server: Server, { id, redirect }: Partner, code: string, status: number) =>
  server.post(
    '/api/partner/token/',
    {
      grant_type: 'authorization_code',
      client_id: id,
      redirect_uri: redirect,
      code,
      code_verifier: verifier,
    },
    status,
  )

const systemsFor = (server: Server, token: string) =>
  fetch(`${server.url}/api/partner/v1/systems/`, { headers: { Authorization: `Bearer ${token}` } })

/** Fails if the page redirects to the app without a consent. */
async function expectNoRedirect(page: Page, address: string) {
  let left = false
  page.on('request', (it) => {
    if (it.isNavigationRequest() && !new URL(it.url()).pathname.startsWith('/login_cleverpv')) left = true
  })
  await page.goto(address)
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page.getByRole('button', { name: text('partner.allow') })).toBeHidden()
  expect(left).toBe(false)
}

test('an owner logs in for an app, consents, the app reads the systems, and the owner ends it in the settings', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner(2)
  const app = await server.newPartner('Sonnenfreund')
  await page.goto(request(app))
  await expect(heading(page)).toHaveText(text('partner.login', { app: app.name }))
  await expect(page.getByRole('radio')).toHaveCount(0)
  await sendLogin(page, owner)

  await expect(heading(page)).toHaveText(text('partner.title', { app: app.name }))
  await expect(page.getByText(owner.email)).toBeVisible()
  await expect(page.getByText(text('partner.scope.systems'))).toBeVisible()
  await expect(page.getByText(text('partner.scope.live'))).toBeVisible()
  await button(page, text('partner.allow')).click()
  await page.waitForURL('**/demo/partner/?**')
  await expect(page.locator('#state')).toHaveText('007')
  const code = (await page.locator('#code').textContent()) ?? ''

  const tokens = (await (await exchange(server, app, code, 200)).json()) as { access_token: string }
  const systems = (await (await systemsFor(server, tokens.access_token)).json()) as { sn: string }[]
  expect(systems.map(({ sn }) => sn)).toEqual(owner.serials)

  await page.goto('/settings?part=account')
  await button(page, text('account.partners.end_label', { app: app.name })).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText(text('account.partners.end_title', { app: app.name }))
  await button(dialog, text('account.partners.end')).click()
  await expect(page.getByText(text('account.partners.none'))).toBeVisible()
  expect((await systemsFor(server, tokens.access_token)).status).toBe(401)
})

test('a consent’s code works once', async ({ page, server }) => {
  const app = await server.newPartner('Sonnenfreund')
  await beLoggedIn(page, server, await server.newOwner())
  await page.goto(request(app))
  await button(page, text('partner.allow')).click()
  await page.waitForURL('**/demo/partner/?**')
  const code = (await page.locator('#code').textContent()) ?? ''
  await exchange(server, app, code, 200)
  await exchange(server, app, code, 400)
})

test('an owner who denies is sent back with access_denied and no code', async ({ page, server }) => {
  const app = await server.newPartner('Sonnenfreund')
  await beLoggedIn(page, server, await server.newOwner())
  await page.goto(request(app))
  await button(page, text('partner.deny')).click()
  await page.waitForURL('**/demo/partner/?**')
  await expect(page.locator('#error')).toHaveText('access_denied')
  await expect(page.locator('#state')).toHaveText('007')
  await page.goto('/settings?part=account')
  await expect(page.getByText(text('account.partners.none'))).toBeVisible()
})

test('an unknown app, a foreign redirect address or an incomplete request never redirects', async ({
  page,
  server,
}) => {
  const app = await server.newPartner('Sonnenfreund')
  await beLoggedIn(page, server, await server.newOwner())
  const wrongs: Record<string, string>[] = [
    { client_id: 'nobody' },
    { redirect_uri: 'https://evil.example/' },
    { redirect_uri: 'javascript:alert(1)' },
    { code_challenge: '' },
    { code_challenge_method: 'plain' },
    { scope: 'everything' },
    { response_type: 'token' },
  ]
  for (const changes of wrongs) {
    await test.step(JSON.stringify(changes), () => expectNoRedirect(page, request(app, changes)))
  }
})

test('an electrician cannot give an app access, but can switch accounts', async ({ page, server }) => {
  const app = await server.newPartner('Sonnenfreund')
  const owner = await server.newOwner()
  await beLoggedIn(page, server, await server.newElectrician())
  await page.goto(request(app))
  await expect(page.getByText(text('partner.only_owners'))).toBeVisible()
  await expect(page.getByRole('button', { name: text('partner.allow') })).toBeHidden()
  await button(page, text('partner.other_account')).click()
  await sendLogin(page, owner)
  await expect(page.getByText(owner.email)).toBeVisible()
  await expect(button(page, text('partner.allow'))).toBeVisible()
})

test('an expired session asks for the login and keeps the app’s request', async ({ page, server }) => {
  const app = await server.newPartner('Sonnenfreund')
  const owner = await server.newOwner()
  await logIn(page, owner)
  await server.passMinutes(13 * 60)
  await page.goto(request(app))
  await expect(heading(page)).toHaveText(text('partner.login', { app: app.name }))
  await sendLogin(page, owner)
  await expect(button(page, text('partner.allow'))).toBeVisible()
})

test('the top bar of the partner login hides the homepage, register and login links', async ({
  page,
  server,
}) => {
  await page.goto(request(await server.newPartner('Sonnenfreund')))
  await expect(heading(page)).toBeVisible()
  const bar = page.getByRole('banner')
  await expect(bar.getByRole('link')).toHaveCount(0)
  await page.goto('/login')
  await expect(bar.getByRole('link')).toHaveCount(3)
})
