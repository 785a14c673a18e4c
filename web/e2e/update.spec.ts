/** The update wizard, from choice to end, with a real update service and demo batteries. */
import { expectGoodEverywhere } from './harness/axe.ts'
import { tabTo } from './harness/keyboard.ts'
import { ONE as OWNER, THREE } from './harness/owners.ts'
import { EVERY_SIZE } from './harness/settings.ts'
import { beLoggedIn, button, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'
import { dialog, finish, progress, SOON, start, stepHeading, turn } from './harness/update.ts'

/** Each test has its own system, because an update is offered only once. */
const ONE = { ...OWNER, sn: 'SC24A0001' }

test('the bell links to the wizard, which works with the keyboard alone', async ({ page, server }) => {
  test.slow()
  const { sn } = ONE
  await turn(server, 'main-switch', sn, 0)
  await beLoggedIn(page, server, ONE)
  await page.goto('/dashboard')
  await settled(page)
  await tabTo(page, 'button', /Updates? für/)
  await page.keyboard.press('Enter')
  // Decisions about access come first.
  const offer = page.getByRole('menuitem', { name: sn })
  await expect(offer).toBeVisible()
  await page.keyboard.press('End')
  await expect(offer).toBeFocused()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/update?sn=${sn}`)
  await expect(page.getByRole('radio', { name: new RegExp(`^${sn}`) })).toBeChecked()
  await expectGoodEverywhere(page, EVERY_SIZE)

  await tabTo(page, 'button', text('update.next'))
  await page.keyboard.press('Enter')
  await expect(stepHeading(page, 'update.ready', sn)).toBeFocused()
  await expect(page.getByText(text('update.check.reachable.yes'))).toBeVisible()
  await expect(page.getByText(text('update.check.switch.yes'))).toBeVisible()
  await expectGoodEverywhere(page, EVERY_SIZE)
  await tabTo(page, 'button', text('update.start'))
  await page.keyboard.press('Enter')
  await expect(dialog(page, 'update.confirm')).toBeVisible()
  await tabTo(page, 'button', text('update.start'))
  await page.keyboard.press('Enter')
  await expect(stepHeading(page, 'update.running', sn)).toBeFocused()
  await expect(progress(page)).toBeAttached()
  await finish(page, server, sn)
  await expectGoodEverywhere(page, EVERY_SIZE)

  const reloaded = page.waitForEvent('load')
  await button(page, text('update.end')).click()
  await reloaded
  await expect(page.getByText(text('update.none'), { exact: true })).toBeVisible()
  await expect(page.getByText(text('update.history.done')).first()).toBeVisible()
})

test('an update survives a reload and shows in another browser', async ({ page, server, otherBrowser }) => {
  test.slow()
  const sn = 'SC24B0001'
  await start(page, server, THREE, sn)
  await page.reload()
  await expect(stepHeading(page, 'update.running', sn)).toBeVisible()
  const other = await otherBrowser()
  await beLoggedIn(other, server, THREE)
  await other.goto(`${server.url}/update`)
  await expect(stepHeading(other, 'update.running', sn)).toBeVisible()
  await finish(page, server, sn)
  await expect(dialog(other, 'update.news.finished')).toBeVisible(SOON)
})

test('a battery without power interrupts its update, and continues when it is back', async ({
  page,
  server,
}) => {
  test.slow()
  const sn = 'SC24B0002'
  await start(page, server, THREE, sn)
  await expect(progress(page)).toHaveAttribute('value', /./, SOON)
  await turn(server, 'power', sn, 0)
  await server.passMinutes(3)
  const interrupted = dialog(page, 'update.news.interrupted')
  await expect(interrupted).toBeVisible(SOON)
  await button(interrupted, text('update.ok')).click()
  await expect(progress(page)).toHaveCount(0)
  expect(await page.evaluate(() => localStorage.getItem('updateStarted'))).toBeNull()
  await turn(server, 'power', sn, 1)
  await expect(progress(page)).toBeAttached(SOON)
  await finish(page, server, sn)
})

test('leaving the wizard does not stop the update, and logging out removes its traces', async ({
  page,
  server,
}) => {
  test.slow()
  const sn = 'SC24B0003'
  await start(page, server, THREE, sn)
  await expect(progress(page)).toHaveAttribute('value', /./, SOON)
  await button(page, text('update.leave')).click()
  const reloaded = page.waitForEvent('load')
  await button(dialog(page, 'update.leave.question'), text('update.leave')).click()
  await reloaded
  const system = page.getByRole('radio', { name: new RegExp(`^${sn}`) })
  await expect(system).not.toBeChecked()
  // Its choice shows the running update again.
  await system.click()
  await expect(progress(page)).toBeAttached()
  await page.goto('/logout')
  await page.waitForURL('**/login')
  const kept = await page.evaluate(() => ['updateStarted', 'updates'].map((key) => localStorage.getItem(key)))
  expect(kept).toEqual([null, null])
})

test('the update page works under whatever name the portal is opened by', async ({ page, server }) => {
  for (const name of ['127.0.0.1', 'localhost']) {
    const url = new URL(server.url)
    url.hostname = name
    await beLoggedIn(page, server, THREE, url.origin)
    const answered = page.waitForResponse((answer) => answer.url().includes('/api/v1/has_update'))
    await page.goto(`${url.origin}/update`)
    const answer = await answered
    expect([new URL(answer.url()).origin, answer.status()]).toEqual([url.origin, 200])
    await settled(page)
    await expect(page.getByText(text('update.load_failed'))).toHaveCount(0)
  }
})

test('a stored role without a session opens no wizard: it redirects through its dashboard to the login', async ({
  page,
  server,
}) => {
  for (const role of ['user', 'electrician']) {
    await page.goto(`${server.url}/healthz`)
    await page.evaluate((stored) => localStorage.setItem('role', stored), role)
    const asked: string[] = []
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
    await page.goto('/update')
    await expect(page).toHaveURL(/\/login$/)
    expect(asked.filter((path) => path.startsWith('/api/v1/'))).toEqual([])
  }
})
