/**
 * An owner of three systems with updates; a new version of the app meanwhile; an update that is withdrawn.
 */

import { THREE } from './harness/owners.ts'
import { ServerProxy } from './harness/server-proxy.ts'
import { beLoggedIn, button, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'
import { dialog, finish, openWizard, progress, SOON, start, stepHeading, turn } from './harness/update.ts'

const [FIRST, SECOND, THIRD] = ['SC24B0001', 'SC24B0002', 'SC24B0003'] as const

// A server that no other file uses; each test depends on the one before.
test.use({ history: 2 })
test.describe.configure({ mode: 'serial' })

test('of several systems with an update one is chosen, and the others stay pending', async ({
  page,
  server,
}) => {
  test.slow()
  await beLoggedIn(page, server, THREE)
  await page.goto('/update')
  await settled(page)
  const systems = page.getByRole('radio')
  await expect(systems).toHaveCount(3)
  for (const system of await systems.all()) await expect(system).not.toBeChecked()
  await expect(button(page, text('update.next'))).toBeDisabled()

  await start(page, server, THREE, FIRST)
  await finish(page, server, FIRST)
  const reloaded = page.waitForEvent('load')
  await button(page, text('update.end')).click()
  await reloaded
  await expect(systems).toHaveCount(2)
  await expect(page.getByRole('radio', { name: new RegExp(`^${FIRST}`) })).toHaveCount(0)
  await page.getByRole('button', { name: /^Update/ }).click()
  await expect(page.getByRole('menuitem')).toHaveText([SECOND, THIRD])
})

test('an update that the battery has not begun can be withdrawn', async ({ page, server }) => {
  await turn(server, 'main-switch', SECOND, 0)
  await openWizard(page, server, THREE, SECOND)
  await button(page, text('update.next')).click()
  await button(page, text('update.start')).click()
  await expect(dialog(page, 'update.confirm')).toBeVisible()
  // A power failure at this moment: the battery cannot take the update.
  await turn(server, 'power', SECOND, 0)
  await button(dialog(page, 'update.confirm'), text('update.start')).click()
  await expect(page.getByText(text('update.waiting'), { exact: true })).toBeVisible()
  await expect(button(page, text('update.next'))).toBeDisabled()
  await expect(button(page, text('update.start'))).toBeDisabled()

  await button(page, text('update.withdraw')).click()
  await button(dialog(page, 'update.withdraw.question'), text('update.withdraw.no')).click()
  await expect(stepHeading(page, 'update.running', SECOND)).toBeVisible()
  await button(page, text('update.withdraw')).click()
  const reloaded = page.waitForEvent('load')
  await button(dialog(page, 'update.withdraw.question'), text('update.withdraw')).click()
  await reloaded
  await expect(page.getByText(text('update.cancelled.withdrawn'))).toBeVisible()
  await expect(page.getByRole('radio', { name: new RegExp(`^${SECOND}`) })).not.toBeChecked()
  await turn(server, 'power', SECOND, 1)
})

test.describe('with the service worker', () => {
  test.use({ serviceWorkers: 'allow' })

  test('a new version of the app waits for the end of the update', async ({ page, server }) => {
    test.slow()
    const serverProxy = await ServerProxy.before(server.url)
    await turn(server, 'main-switch', THIRD, 0)
    await page.goto(`${serverProxy.url}/login`)
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await beLoggedIn(page, server, THREE, serverProxy.url)
    await page.goto(`${serverProxy.url}/update?sn=${THIRD}`)
    await settled(page)
    await button(page, text('update.next')).click()
    await button(page, text('update.start')).click()
    await button(dialog(page, 'update.confirm'), text('update.start')).click()
    await expect(progress(page)).toHaveAttribute('value', /./, SOON)

    let loads = 0
    page.on('domcontentloaded', () => {
      loads += 1
    })
    serverProxy.releaseNewVersion()
    await page.evaluate(async () => {
      const changed = new Promise((resolve) =>
        navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
      )
      await (await navigator.serviceWorker.ready).update()
      await changed
    })
    await finish(page, server, THIRD)
    // The reload keeps what was on screen.
    await expect.poll(() => loads).toBe(1)
    await expect(stepHeading(page, 'update.finished', THIRD)).toBeVisible()
    await serverProxy.goOffline()
  })
})
