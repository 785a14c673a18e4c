/** The life of an alarm: opened, seen by owner and electrician, mailed, acknowledged, closed by itself. */
import type { Page } from '@playwright/test'
import { expectAccessible, expectGoodEverywhere, expectNoSidewaysScroll, PHONE } from './harness/axe.ts'
import { type Account, PASSWORD, type Server } from './harness/server.ts'
import { beLoggedIn, button, heading, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

test.use({ movesClock: 'hours' })

const SN = 'SC24A0001'
const OWNER: Account = { email: 'owner@example.com', password: PASSWORD, role: 'user' }
const ELECTRICIAN: Account = { email: 'electrician@example.com', password: PASSWORD, role: 'electrician' }
/** The server's text. */
const FAULT = 'Der Speicher meldet einen Fehler'
const SOON = { timeout: 90_000, intervals: [100] }

const badCell = (server: Server, on: 0 | 1) => server.post('/demo/bad-cell/', { sn: SN, on: String(on) }, 204)

/**
 * Advances the clock in steps that a battery which reports every two seconds can follow, until the condition
 * holds.
 */
const untilTimePassed = (server: Server, holds: () => Promise<void>) =>
  expect(async () => {
    await server.passSeconds(20)
    await holds()
  }).toPass(SOON)

const notice = (page: Page) => page.getByRole('alert').filter({ hasText: FAULT })
const list = (page: Page) => page.getByRole('region', { name: text('nav.alarms'), exact: true })
const row = (page: Page) => list(page).getByRole('listitem').filter({ hasText: FAULT }).first()

test('a bad cell is an alarm for owner and electrician, and ends when the battery is well', async ({
  page,
  server,
  otherBrowser,
}) => {
  test.setTimeout(300_000)
  await beLoggedIn(page, server, OWNER)
  await page.goto('/dashboard')
  await expect(heading(page)).toBeAttached()
  await badCell(server, 1)
  await untilTimePassed(server, () => expect(notice(page)).toBeVisible({ timeout: 1_000 }))
  await settled(page)
  await expectAccessible(page)

  await test.step('the owner finds it from the dashboard, with what to do', async () => {
    await notice(page)
      .getByRole('link', { name: text('alarms.show') })
      .click()
    await page.waitForURL('**/alarms')
    await expect(row(page)).toContainText('Bitte rufen Sie Ihren Elektriker.')
    await expectGoodEverywhere(page, [PHONE])
  })

  await test.step('it is mailed, with the way to it', async () => {
    await untilTimePassed(server, async () => {
      const mails = await server.mails(OWNER.email)
      expect(mails.map(({ subject }) => subject)).toContain(`Alarm: ${FAULT} (${SN})`)
    })
    expect(await server.linkMailedTo(OWNER.email, '/alarms')).toContain('/alarms')
  })

  const theirs = await otherBrowser()
  await test.step('the electrician has it first in the list and acknowledges it', async () => {
    await beLoggedIn(theirs, server, ELECTRICIAN)
    await theirs.goto('/electrician-dashboard?show=alarm')
    await expect(theirs.getByRole('row').filter({ hasText: SN })).toContainText(FAULT)
    await settled(theirs)
    await expectAccessible(theirs)
    await expectNoSidewaysScroll(theirs)
    await theirs.getByRole('link', { name: SN }).click()
    await theirs.waitForURL(`**/electrician-dashboard/${SN}`)
    await button(row(theirs), text('alarms.acknowledge_label', { text: FAULT, sn: SN })).click()
    await expect(row(theirs)).toContainText(text('alarms.state.seen'))
    await expectAccessible(theirs)
  })

  const write = async (remark: string, close: boolean) => {
    await button(row(theirs), text('alarms.comment_label', { text: FAULT, sn: SN })).click()
    await button(row(theirs), text('alarms.comment_send')).click()
    await expect(row(theirs).getByLabel(text('alarms.comment'), { exact: true })).toBeFocused()
    await row(theirs).getByLabel(text('alarms.comment'), { exact: true }).fill(remark)
    if (close) await row(theirs).getByText(text('alarms.dismiss')).click()
    await expectAccessible(theirs)
    await expectNoSidewaysScroll(theirs)
    await button(row(theirs), text('alarms.comment_send')).click()
    await expect(row(theirs)).toContainText(remark)
  }

  await test.step('the electrician writes what happens next, and then that it needs no more attention', async () => {
    await write('Zelle 3, neue bestellt', false)
    await page.reload()
    await expect(row(page)).toContainText('Zelle 3, neue bestellt')
    await write('Bis Montag bekannt', true)
    await expect(row(theirs)).toContainText(text('alarms.state.dismissed'))
  })

  await test.step('the owner sees who takes care', async () => {
    await expect(row(page)).toContainText('Elektro Sonnenberg')
  })

  await test.step('nobody is alarmed any more, and it is over when the battery is well', async () => {
    await badCell(server, 0)
    await untilTimePassed(server, () =>
      expect(row(page)).toContainText(text('alarms.state.over'), { timeout: 1_000 }),
    )
    await page.goto('/dashboard')
    await expect(heading(page)).toBeAttached()
    await settled(page)
    await expect(notice(page)).toBeHidden()
  })
})

test('alarm mails are chosen in the settings, and the choice is stored', async ({ page, server }) => {
  const owner = await server.newOwner()
  await beLoggedIn(page, server, owner)
  await page.goto('/settings?part=account')
  const mails = page.getByRole('group', { name: text('alarms.mail') })
  const never = mails.getByRole('radio', { name: text('alarms.mail.never') })
  await mails.getByText(text('alarms.mail.never'), { exact: true }).click()
  await expect(never).toBeChecked()
  await expect(page.getByText(text('alarms.mail.saved'))).toBeVisible()
  await page.reload()
  await expect(never).toBeChecked()
  await expectAccessible(page)
})
