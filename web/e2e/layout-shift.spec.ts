/** Nothing visible moves while an owner's page loads. */
import type { Page, Request } from '@playwright/test'
import { DESK, PHONE } from './harness/axe.ts'
import { AWAY, ONE, THREE } from './harness/owners.ts'
import { SCREENS } from './harness/screens.ts'
import type { Account } from './harness/server.ts'
import { beLoggedIn, heading, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { observeShifts, shiftsOf } from './harness/timings.ts'

/** A limit for the browser's layout shift score: moved share of the window times distance. */
const MAX_SHIFT = 0.02

const PAGES = SCREENS.filter(({ visitor }) => visitor === 'owner').map(({ path }) => path)
const DASHBOARD = ['/dashboard']

const OWNERS: [who: string, account: Account, pages: string[]][] = [
  ['one system', ONE, PAGES],
  ['three systems', THREE, DASHBOARD],
  ['a system with an alarm', AWAY, DASHBOARD],
]

for (const size of [DESK, PHONE])
  for (const [who, account, pages] of OWNERS)
    test(`pages of an owner with ${who} do not move while they load, ${size.width} px wide`, async ({
      page,
      server,
    }) => {
      await page.setViewportSize(size)
      await beLoggedIn(page, server, account)
      await observeShifts(page)
      for (const path of pages)
        await test.step(path, async () => {
          await load(page, path)
          const { score, moved } = await shiftsOf(page)
          expect.soft(score, `${path}: ${moved.join(', ')}`).toBeLessThan(MAX_SHIFT)
        })
    })

/** Waits until every answer is rendered; only the live stream stays open. */
async function load(page: Page, path: string) {
  const open = new Set<Request>()
  const begin = (request: Request) => request.url().includes('/stream/') || open.add(request)
  const end = (request: Request) => open.delete(request)
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end)
  await page.goto(path)
  await heading(page).waitFor()
  await expect(async () => {
    await settled(page)
    await page.evaluate(() => document.fonts.ready)
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))))
    expect(open.size).toBe(0)
  }).toPass()
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end)
}
