/** The server is killed while a page is open, and restarts. */
import { type Account, PASSWORD, Server } from './harness/server.ts'
import { beLoggedIn } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

const ONE: Account = { email: 'owner@example.com', password: PASSWORD, role: 'user' }

test('an open dashboard shows live values again by itself after the server was killed and restarted', async ({
  page,
}) => {
  // A server of its own: the other tests need theirs.
  const server = await Server.start(0)
  try {
    await page.clock.install({ time: Date.now() })
    await beLoggedIn(page, server, ONE)
    await page.goto(`${server.url}/dashboard`)
    await expect(page.getByText(/^Live · /)).toBeVisible()
    let loads = 0
    page.on('domcontentloaded', () => {
      loads += 1
    })

    await server.kill()
    await page.clock.fastForward(60_000)
    await expect(page.getByRole('heading', { name: text('sentence.stale') })).toBeVisible()
    await expect(page.getByText(/^Live/)).toHaveCount(0)

    const stream = page.waitForResponse((answer) => answer.url().includes('/api/auth/stream/') && answer.ok())
    await server.startAgain()
    // Longer than the maximum back-off.
    await page.clock.fastForward(31_000)
    await stream
    await expect(page.getByText(/^Live · /)).toBeVisible()
    expect(loads).toBe(0)
  } finally {
    await server.stop()
  }
})
