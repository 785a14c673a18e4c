/** Every screen of the app, and how to open it. */
import type { Page } from '@playwright/test'
import type { Account, Server } from './server.ts'
import { openGroup } from './settings.ts'
import { beLoggedIn, button, seeAll, sendLogin } from './steps.ts'
import { text } from './texts.ts'

export const VISITORS = ['guest', 'waiting', 'owner', 'electrician'] as const
export type Visitor = (typeof VISITORS)[number]
export type Screen = { path: string; visitor: Visitor }

/** Each route once, for somebody who may open it. */
export const SCREENS: Screen[] = [
  { path: '/login', visitor: 'guest' },
  { path: '/register', visitor: 'guest' },
  { path: '/login_cleverpv', visitor: 'guest' },
  { path: '/lock', visitor: 'guest' },
  { path: '/password_reset#token=some-token', visitor: 'guest' },
  { path: '/no/such/page', visitor: 'guest' },
  { path: '/connect', visitor: 'waiting' },
  { path: '/dashboard', visitor: 'owner' },
  { path: '/calendar', visitor: 'owner' },
  { path: '/charts', visitor: 'owner' },
  { path: '/alarms', visitor: 'owner' },
  { path: '/plan', visitor: 'owner' },
  { path: '/update', visitor: 'owner' },
  { path: '/settings', visitor: 'owner' },
  { path: '/settings?part=prices', visitor: 'owner' },
  { path: '/settings?part=site', visitor: 'owner' },
  { path: '/settings#grants', visitor: 'owner' },
  { path: '/settings?part=journal', visitor: 'owner' },
  { path: '/settings?part=account', visitor: 'owner' },
  { path: '/electrician-dashboard', visitor: 'electrician' },
  { path: '/electrician-settings', visitor: 'electrician' },
  { path: '/electrician-settings?part=systems', visitor: 'electrician' },
  { path: '/electrician-settings?part=grants', visitor: 'electrician' },
  { path: '/electrician-settings?part=account', visitor: 'electrician' },
  { path: '/enrol', visitor: 'electrician' },
]

/** The address of a screen; the partner login needs a request of the demo's app. */
export function addressOf({ path }: Screen, server: Server): string {
  if (path !== '/login_cleverpv') return path
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'demo-app',
    redirect_uri: `${server.url}/demo/partner/`,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    scope: 'systems live',
    state: '1',
  })
  return `${path}?${query}`
}

/** Logs the browser in as this visitor. */
export async function logInAs(page: Page, server: Server, visitor: Visitor): Promise<Account | null> {
  if (visitor === 'guest') return null
  if (visitor === 'waiting') {
    const { serials } = await server.newSite()
    const account = await server.newWaitingOwner(serials[0] ?? '')
    await page.goto('/login')
    await sendLogin(page, account)
    await page.waitForURL('**/connect')
    return account
  }
  const account = await viewerOf(server, visitor)
  await beLoggedIn(page, server, account)
  return account
}

const viewers = new WeakMap<Server, Map<Visitor, Promise<Account>>>()

/** An account that only views screens, shared by all tests because creating one takes a second. */
function viewerOf(server: Server, visitor: 'owner' | 'electrician'): Promise<Account> {
  const known = viewers.get(server) ?? new Map<Visitor, Promise<Account>>()
  viewers.set(server, known)
  const account = known.get(visitor) ?? (visitor === 'owner' ? server.newOwner(3) : server.newElectrician())
  known.set(visitor, account)
  return account
}

/** Stores language and theme, as if chosen on an earlier visit. */
export async function setPreferences(
  page: Page,
  { language = 'de', dark = true }: { language?: string; dark?: boolean },
) {
  await page.evaluate(
    ([chosen, mode]) => {
      localStorage.setItem('language', chosen)
      localStorage.setItem('darkMode', mode)
    },
    [language, String(dark)] as const,
  )
}

/** Loads a screen and waits until nothing is loading. */
export async function open(page: Page, address: string) {
  // A change of the fragment alone would not load the page.
  if (address.includes('#')) await page.goto('/healthz')
  await page.goto(address)
  await seeAll(page)
  await page.evaluate(() => document.fonts.ready)
}

/** @property part the overlay, if there is one; Escape closes it */
type State = { name: string; screen: Screen; part?: string; act: (page: Page) => Promise<void> }

const MENU = '[role=menu]'
const DIALOG = '[role=dialog]'

/** Whether a state belongs to a screen. */
export const isAt = ({ screen }: State, { path, visitor }: Screen) =>
  screen.path === path && screen.visitor === visitor

/** States of a screen that require an action. */
export const STATES: State[] = [
  {
    name: 'login form with errors',
    screen: { path: '/login', visitor: 'guest' },
    act: (page) => button(page, text('login.submit')).click(),
  },
  {
    name: 'registration form with errors',
    screen: { path: '/register', visitor: 'guest' },
    act: (page) => button(page, text('register.submit')).click(),
  },
  {
    name: 'registration of an electrician',
    screen: { path: '/register', visitor: 'guest' },
    act: (page) => page.getByText(text('role.electrician'), { exact: true }).click(),
  },
  {
    name: 'reset without a link',
    screen: { path: '/password_reset', visitor: 'guest' },
    act: (page) => page.getByRole('alert').waitFor(),
  },
  {
    name: 'partner login that is refused',
    screen: { path: '/login_cleverpv?client_id=x', visitor: 'guest' },
    act: (page) => page.getByRole('alert').waitFor(),
  },
  {
    name: 'partner consent',
    screen: { path: '/login_cleverpv', visitor: 'owner' },
    act: (page) => button(page, text('partner.allow')).waitFor(),
  },
  {
    name: 'menu of language and theme',
    screen: { path: '/dashboard', visitor: 'owner' },
    part: MENU,
    act: (page) => button(page, text('top.display')).click(),
  },
  {
    name: 'menu of the bell',
    screen: { path: '/dashboard', visitor: 'owner' },
    part: MENU,
    act: (page) => button(page, text('top.updates')).click(),
  },
  {
    name: 'menu of the profile',
    screen: { path: '/dashboard', visitor: 'owner' },
    part: MENU,
    act: (page) => button(page, text('top.account')).click(),
  },
  {
    name: 'form of a new group with an error',
    screen: { path: '/dashboard', visitor: 'owner' },
    part: DIALOG,
    act: async (page) => {
      await button(page, text('groups.create')).click()
      await button(page.getByRole('dialog'), text('groups.submit')).click()
      await page.getByRole('dialog').getByRole('alert').waitFor()
    },
  },
  {
    name: 'dialog before an account is deleted',
    screen: { path: '/settings?part=account', visitor: 'owner' },
    part: DIALOG,
    act: async (page) => {
      await button(page, text('account.delete')).click()
      await button(page.getByRole('dialog'), text('account.delete.confirm')).click()
    },
  },
  {
    name: 'every setting, with errors',
    screen: { path: '/settings', visitor: 'owner' },
    act: async (page) => {
      for (const group of ['device', 'meter'] as const) await openGroup(page, group)
      await page.getByLabel(text('setting.reserve_soc'), { exact: true }).fill('101')
      await page.getByLabel(text('setting.charge_limit'), { exact: true }).fill('6000')
      await page.getByLabel(text('setting.meter_address'), { exact: true }).fill('250')
      await button(page, text('settings.review')).click()
    },
  },
  {
    name: 'dialog before settings are reset',
    screen: { path: '/settings', visitor: 'owner' },
    part: DIALOG,
    act: async (page) => {
      await button(page, text('settings.reset')).click()
      await page.getByRole('dialog').getByRole('checkbox').check()
    },
  },
  {
    name: 'prices and provider with errors',
    screen: { path: '/settings?part=prices', visitor: 'owner' },
    act: async (page) => {
      await button(page, text('money.tariff.save')).click()
      await page.getByLabel(text('setting.provider'), { exact: true }).selectOption('tibber')
      await page.getByLabel(text('setting.provider_token'), { exact: true }).fill('short')
      await button(page, text('settings.review')).click()
    },
  },
  // Last of its screen, because the form keeps its values.
  {
    name: 'dialog before settings are sent, with errors',
    screen: { path: '/settings', visitor: 'owner' },
    part: DIALOG,
    act: async (page) => {
      await openGroup(page, 'device')
      await page.getByLabel(text('setting.charge_limit'), { exact: true }).fill('6000')
      await button(page, text('settings.review')).click()
      await button(page.getByRole('dialog'), text('settings.send')).click()
    },
  },
  {
    name: 'account with errors',
    screen: { path: '/settings?part=account', visitor: 'owner' },
    act: async (page) => {
      await button(page, text('account.password.submit')).click()
      await button(page, text('keys.add')).click()
    },
  },
]
