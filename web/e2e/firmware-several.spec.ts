/** An electrician starts updates of several systems from the fleet: first their state, then each result. */
import type { Page } from '@playwright/test'
import { DESK, expectAccessible, expectGoodEverywhere } from './harness/axe.ts'
import { AWAY, ONE, THREE } from './harness/owners.ts'
import type { Account, Server } from './harness/server.ts'
import { EVERY_SIZE } from './harness/settings.ts'
import { beLoggedIn, button, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'
import { dialog } from './harness/update.ts'

// Each update is offered only once, so this file needs its own server, by its own history.
test.use({ history: 4 })

const bearer = async (server: Server, account: Account) => ({
  Authorization: `Bearer ${(await server.logIn(account)).access}`,
})

async function grant(server: Server, owner: Account, electrician: Account, scope: string) {
  const owners = await bearer(server, owner)
  const invitation = { sn: '-1', email: electrician.email, scope, password: owner.password }
  await server.post('/api/auth/grant/', invitation, 201, owners)
  const { held } = await server.get<{ held: { id: number; state: string }[] }>(
    '/api/auth/grant/',
    electrician,
  )
  const theirs = await bearer(server, electrician)
  for (const { id } of held.filter(({ state }) => state === 'invited'))
    await server.post(`/api/auth/grant/${id}/accept/`, {}, 200, theirs)
}

/** The owner reduces the electrician's access to this system to monitor. */
async function narrow(server: Server, owner: Account, electrician: Account, sn: string) {
  const { given } = await server.get<{ given: { id: number; sn: string; email: string }[] }>(
    '/api/auth/grant/',
    owner,
  )
  const held = given.find((one) => one.sn === sn && one.email === electrician.email)
  const answer = await fetch(`${server.url}/api/auth/grant/${held?.id}/`, {
    method: 'PATCH',
    body: new URLSearchParams({ scope: 'monitor' }),
    headers: await bearer(server, owner),
  })
  expect(answer.status).toBe(200)
}

const row = (page: Page, sn: string) =>
  dialog(page, 'update.batch.title').locator('li[data-standing]').filter({ hasText: sn })

test('what can be started is started, what cannot says why, and one failure does not stop the others', async ({
  page,
  server,
}) => {
  test.slow()
  const eva = await server.newElectrician()
  const anna = await server.newOwner()
  await grant(server, ONE, eva, 'service')
  await grant(server, THREE, eva, 'service')
  await grant(server, AWAY, eva, 'monitor')
  await grant(server, anna, eva, 'service')
  const [silent = ''] = anna.serials

  await beLoggedIn(page, server, eva)
  await page.goto('/electrician-dashboard')
  const table = page.getByRole('table')
  await expect(table.getByRole('link')).toHaveCount(6)
  // Batteries connect shortly after the start.
  await page.getByRole('button', { name: new RegExp(`^${text('fleet.filter.update')} 4`) }).waitFor()
  await table.getByRole('checkbox').first().check()
  await button(page, text('fleet.start_updates')).click()
  const box = dialog(page, 'update.batch.title')
  await expect(box.getByRole('status').first()).toHaveText('Bei 4 von 6 lässt sich ein Update starten.')
  for (const sn of ['SC24A0001', 'SC24B0001', 'SC24B0002', 'SC24B0003'])
    await expect(row(page, sn)).toContainText(text('update.batch.standing.ready'))
  await expect(row(page, 'SC24C0001')).toContainText(text('update.batch.standing.no_service'))
  await expect(row(page, silent)).toContainText(text('update.batch.standing.unreachable'))
  await expect(box).toContainText(text('update.batch.told'))
  await expectGoodEverywhere(page, EVERY_SIZE)
  await page.setViewportSize(DESK)

  // Meanwhile an owner reduces the access.
  await narrow(server, THREE, eva, 'SC24B0003')
  await button(box, '4 Updates starten').click()
  await expect(box.getByRole('status').first()).toHaveText(
    text('update.batch.result', { started: '3', failed: '1' }),
  )
  for (const sn of ['SC24A0001', 'SC24B0001', 'SC24B0002'])
    await expect(row(page, sn)).toContainText(text('update.batch.standing.started'))
  await expect(row(page, 'SC24B0003')).toContainText(text('update.batch.standing.failed'))
  await expect(row(page, 'SC24B0003')).toContainText('Ihr Zugang zu diesem Speicher reicht dafür nicht')
  await expectAccessible(page)

  // It fails again while nothing has changed, and the others are not started a second time.
  await button(box, '1 noch einmal versuchen').click()
  await expect(box.getByRole('status').first()).toHaveText(
    text('update.batch.result', { started: '3', failed: '1' }),
  )
  await button(box, text('ui.close')).last().click()
  await expect(box).toBeHidden()
  await settled(page)

  for (const owner of [ONE, THREE])
    await expect
      .poll(async () => (await server.mails(owner.email)).map(({ subject }) => subject))
      .toContainEqual(expect.stringMatching(/^Bitte ausschalten: Update für Ihren Speicher /))
})
