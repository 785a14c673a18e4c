/**
 * An electrician with the scope `service` starts an update from the system page, and its owner gets a mail.
 */
import { expectAccessible, expectNoSidewaysScroll, PHONE } from './harness/axe.ts'
import { ONE as OWNER } from './harness/owners.ts'
import { type Account, PASSWORD } from './harness/server.ts'
import { beLoggedIn, button, heading, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'
import { dialog, progress, SOON, turn } from './harness/update.ts'

/** Has the service scope for one demo house, and the configure scope for another. */
const ELECTRICIAN: Account = { email: 'electrician@example.com', password: PASSWORD, role: 'electrician' }
const SERVED = 'SC24A0001'
const CONFIGURED = 'SC24B0001'

// Each update is offered only once, so this file needs its own server, by its own history.
test.use({ history: 3 })

test('new version and checks are shown, the start is confirmed, and the owner gets a mail', async ({
  page,
  server,
}) => {
  test.slow()
  await turn(server, 'main-switch', SERVED, 0)
  await beLoggedIn(page, server, ELECTRICIAN)
  await page.goto(`/electrician-dashboard/${SERVED}`)
  await expect(heading(page)).toBeVisible()
  await settled(page)
  await expect(page.getByText(text('update.check.reachable.yes'))).toBeVisible()
  await expect(page.getByRole('heading', { name: text('update.new'), exact: true })).toBeVisible()
  await expectAccessible(page)
  const start = button(page, text('update.remote.start'))
  await start.click()
  await expect(dialog(page, 'update.confirm')).toContainText(text('update.remote.told'))
  await expectAccessible(page)
  await button(dialog(page, 'update.confirm'), text('update.remote.start')).click()
  await expect(progress(page)).toBeAttached()
  await expect(progress(page)).toHaveAttribute('value', /./, SOON)
  await expectAccessible(page)
  await page.setViewportSize(PHONE)
  await expectNoSidewaysScroll(page)

  await expect
    .poll(
      async () =>
        (await server.mails(OWNER.email)).filter(({ subject }) => subject.includes('Update')).length,
    )
    .toBeGreaterThan(0)
  const lines = await server.get(`/api/auth/journal/?sn=${SERVED}&kind=update`, OWNER)
  expect(JSON.stringify(lines)).toContain('update_started')
})

test('without the scope service there is a sentence instead of the button', async ({ page, server }) => {
  await beLoggedIn(page, server, ELECTRICIAN)
  await page.goto(`/electrician-dashboard/${CONFIGURED}`)
  await expect(page.getByText(text('update.remote.no_service'))).toBeVisible()
  await expect(button(page, text('update.remote.start'))).toHaveCount(0)
})
