/** The demo's owners, whose batteries have a history. */
import type { Page } from '@playwright/test'
import { type Account, PASSWORD, type Server } from './server.ts'

const owner = (email: string): Account => ({ email, password: PASSWORD, role: 'user' })
export const ONE = owner('owner@example.com')
export const THREE = owner('family@example.com')
/** Silent for days, and the only one without prices. */
export const AWAY = owner('away@example.com')

/** Sets prices from the beginning on. */
export async function setPrices(
  server: Server,
  account: Account,
  prices = { import: '32,5', feedIn: '8,1' },
) {
  const { access } = await server.logIn(account)
  await server.post(
    '/api/auth/tariff/',
    { sn: '-1', import_price: prices.import, feed_in_price: prices.feedIn, from: 'null' },
    200,
    { Authorization: `Bearer ${access}` },
  )
}

/** The answer that the page received during an action. */
export async function answersTo<T>(page: Page, address: RegExp, act: () => Promise<unknown>): Promise<T> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => address.test(response.url()) && response.request().method() === 'GET'),
    act(),
  ])
  return (await answer.json()) as T
}
