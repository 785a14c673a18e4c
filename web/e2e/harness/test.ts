/** `test` with a real server, which also fails if a page reports an error. */
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test'
import { PageErrors } from './page-errors.ts'
import { waitForParts } from './page-parts.ts'
import { Server } from './server.ts'

type Fixtures = {
  /** Fails the test if unexpected errors were reported. */
  pageErrors: PageErrors
  /** Another browser that shares nothing with the first one. */
  otherBrowser: () => Promise<Page>
}

type WorkerFixtures = {
  server: Server
  /** Days of the batteries' history before the first test. */
  history: number
  /** Options of the server's command line. */
  options: string[]
  /** The start of the server's clock, like `2026-12-25T18:00`, for tests that depend on hour or weather. */
  startsAt: string | null
  /**
   * Set by files that advance the server's clock, because other files must not run in its future. After weeks
   * batteries have other alarms.
   */
  movesClock: 'never' | 'hours' | 'weeks'
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  history: [1, { option: true, scope: 'worker' }],

  options: [[], { option: true, scope: 'worker' }],

  startsAt: [null, { option: true, scope: 'worker' }],

  movesClock: ['never', { option: true, scope: 'worker' }],

  server: [
    // Files share a worker and its server only if they have the same options.
    async ({ history, options, startsAt, movesClock: _ }, use) => {
      const server = await Server.start(history, options, startsAt)
      await use(server)
      await server.stop()
    },
    { scope: 'worker' },
  ],

  baseURL: ({ server }, use) => use(server.url),

  extraHTTPHeaders: ({ server }, use) => use({ 'X-Forwarded-For': server.freshAddress() }),

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  pageErrors: async ({}, use) => {
    const pageErrors = new PageErrors()
    await use(pageErrors)
    expect(pageErrors.found(), 'what the pages complained about').toEqual([])
  },

  context: async ({ context, pageErrors, server }, use, info) => {
    waitForParts(context)
    await pageErrors.watch(context)
    await use(context)
    if (info.status !== info.expectedStatus) await info.attach('server.txt', { body: server.output })
  },

  otherBrowser: async ({ browser, pageErrors }, use) => {
    const contexts: BrowserContext[] = []
    await use(async () => {
      const context = await browser.newContext()
      contexts.push(context)
      waitForParts(context)
      await pageErrors.watch(context)
      return context.newPage()
    })
    await Promise.all(contexts.map((context) => context.close()))
  },
})

export { expect }
