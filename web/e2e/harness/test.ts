/** `test` with a real server behind it, and the rule that no page may complain. */
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test'
import { Server } from './server.ts'
import { Trouble } from './trouble.ts'

type Fixtures = {
  /** Fails the test if it holds anything unexpected at the end. */
  trouble: Trouble
  /** Another browser, of the same person or of somebody else; nothing is shared with the first one. */
  otherBrowser: () => Promise<Page>
}

type WorkerFixtures = {
  server: Server
  /** How many days the batteries have lived before the first test; a file that needs another past says so. */
  history: number
  /** Options of the server's command line, for a file that is about them. */
  options: string[]
  /** Where the hour and the weather matter: when the server's life begins, like `2026-12-25T18:00`. */
  startsAt: string | null
  /** Said by a file that moves the server's clock: others would live in its future. After weeks batteries have other alarms. */
  movesClock: 'never' | 'hours' | 'weeks'
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  history: [1, { option: true, scope: 'worker' }],

  options: [[], { option: true, scope: 'worker' }],

  startsAt: [null, { option: true, scope: 'worker' }],

  movesClock: ['never', { option: true, scope: 'worker' }],

  server: [
    // A worker and its server are only for files that say the same in these options.
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
  trouble: async ({}, use) => {
    const trouble = new Trouble()
    await use(trouble)
    expect(trouble.found(), 'what the pages complained about').toEqual([])
  },

  context: async ({ context, trouble, server }, use, info) => {
    await trouble.watch(context)
    await use(context)
    if (info.status !== info.expectedStatus) await info.attach('server.txt', { body: server.output })
  },

  otherBrowser: async ({ browser, trouble }, use) => {
    const contexts: BrowserContext[] = []
    await use(async () => {
      const context = await browser.newContext()
      contexts.push(context)
      await trouble.watch(context)
      return context.newPage()
    })
    await Promise.all(contexts.map((context) => context.close()))
  },
})

export { expect }
