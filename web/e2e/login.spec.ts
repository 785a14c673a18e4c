import { setPreferences } from './harness/screens.ts'
import { button, heading, logIn, logOutByMenu, seeAll, sendLogin, storedTokens } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

test('an owner logs in and sees the dashboard with their systems', async ({ page, server }) => {
  const owner = await server.newOwner(2)
  await logIn(page, owner)
  await expect(heading(page)).toHaveText(text('nav.dashboard'))
  await seeAll(page)
  for (const sn of owner.serials)
    await expect(page.getByRole('main').getByText(sn, { exact: true })).toBeVisible()
})

test('an electrician logs in by "I am an electrician" and enters an empty fleet', async ({
  page,
  server,
}) => {
  await logIn(page, await server.newElectrician())
  await expect(heading(page)).toContainText(text('nav.fleet'))
  await expect(page.getByText(text('fleet.empty'))).toBeVisible()
})

test('a wrong password is refused with the same sentence as an unknown address', async ({ page, server }) => {
  const owner = await server.newOwner()
  await page.goto('/login')
  await page.getByLabel(text('top.language')).selectOption('en')
  const email = page.getByLabel(text('form.email', {}, 'en'), { exact: true })
  for (const address of [owner.email, 'nobody@example.org']) {
    await email.fill(address)
    await page.getByLabel(text('form.password', {}, 'en'), { exact: true }).fill('Wrong-password-1')
    const answer = page.waitForResponse('**/api/auth/token/')
    await button(page, text('login.submit', {}, 'en')).click()
    expect((await answer).status()).toBe(401)
    await expect(page.getByRole('alert')).toContainText('Invalid credentials.')
    await expect(email).toHaveValue(address)
  }
  expect(await storedTokens(page)).toEqual({ access: null, refresh: null })
})

test('the refusals of the server come in the language of the page', async ({ page }) => {
  for (const [language, sentence] of [
    ['en', /Invalid credentials\./],
    ['de', /fehlgeschlagen/],
  ] as const) {
    await page.goto('/healthz')
    await setPreferences(page, { language })
    await page.goto('/login')
    await page.locator('input[name=email]').fill('nobody@example.org')
    await page.locator('input[name=password]').fill('Wrong-password-1')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toContainText(sentence)
  }
})

test('the wrong role is refused like a wrong password', async ({ page, server }) => {
  for (const account of [await server.newOwner(), await server.newElectrician()]) {
    await page.goto('/login')
    await sendLogin(page, { ...account, role: account.role === 'user' ? 'electrician' : 'user' })
    await expect(page.getByRole('alert')).toContainText('Anmeldung fehlgeschlagen')
    await expect(page).toHaveURL(/\/login$/)
  }
})

test('an empty login form says which fields are missing and sends nothing', async ({ page }) => {
  let sent = 0
  await page.route('**/api/auth/token/', (route) => {
    sent += 1
    return route.continue()
  })
  await page.goto('/login')
  await button(page, text('login.submit')).click()
  await expect(page.getByLabel(text('form.email'), { exact: true })).toBeFocused()
  await expect(page.getByLabel(text('form.email'), { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel(text('form.password'), { exact: true })).toHaveAttribute(
    'aria-invalid',
    'true',
  )
  expect(sent).toBe(0)
})

test('a password can be pasted and shown', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/login')
  const password = page.getByLabel(text('form.password'), { exact: true })
  await page.evaluate(() => navigator.clipboard.writeText('From-a-manager-1'))
  await password.press('Control+v')
  await expect(password).toHaveValue('From-a-manager-1')
  await expect(password).toHaveAttribute('type', 'password')
  await button(page, text('ui.show_password')).click()
  await expect(password).toHaveAttribute('type', 'text')
})

test('too many wrong passwords require a wait, and the owner’s known browser can still log in', async ({
  page,
  server,
  otherBrowser,
}) => {
  const owner = await server.newOwner()
  await logIn(page, owner)
  await logOutByMenu(page)

  const stranger = await otherBrowser()
  await stranger.goto('/login')
  const guess = () => fetch(`${server.url}/api/auth/token/`, { method: 'POST', body: wrongPassword })
  const wrongPassword = new URLSearchParams({ email: owner.email, password: 'Guess-guess-1' })
  await expect(async () => {
    await Promise.all(Array.from({ length: 20 }, guess))
    await sendLogin(stranger, { ...owner, password: 'Guess-guess-1' })
    await expect(stranger.getByRole('alert')).toContainText(/Zu viele Versuche/, { timeout: 1_000 })
  }).toPass()

  await logIn(page, owner)
})

test('the profile menu logs out', async ({ page, server }) => {
  await logIn(page, await server.newOwner())
  const { access } = await storedTokens(page)
  await logOutByMenu(page)
  await expect(heading(page)).toHaveText(text('login.title'))
  expect(await storedTokens(page)).toEqual({ access: null, refresh: null })
  expect(await page.evaluate(() => localStorage.getItem('role'))).toBe('user')

  await page.goBack()
  await expect(page).toHaveURL(/\/login$/)
  await expect.poll(() => statusOfSystems(server.url, access)).toBe(401)
})

const statusOfSystems = async (url: string, access: string | null) =>
  (await fetch(`${url}/api/auth/usr_sn/`, { headers: { Authorization: `Bearer ${access}` } })).status

test('the address /logout clears the session and goes to the login page', async ({ page, server }) => {
  await logIn(page, await server.newOwner())
  await page.goto('/logout')
  await page.waitForURL('**/login')
  expect(await storedTokens(page)).toEqual({ access: null, refresh: null })
})
