/**
 * An electrician and a household with two units: request, answer, call and settings, on a phone and a
 * desktop.
 */
import type { Page } from '@playwright/test'
import { DESK, expectAccessible, expectNoSidewaysScroll, PHONE } from './harness/axe.ts'
import { beLoggedIn, button, heading, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

const COMPANY = 'Elektro Blitz'
const MESSAGE = 'Wir haben Ihren Speicher montiert.'
const dialog = (page: Page) => page.getByRole('dialog')
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function expectGood(page: Page) {
  for (const size of [PHONE, DESK]) {
    await page.setViewportSize(size)
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  }
}

test('a household of two units is requested with a message, answered once, called, and set from a phone', async ({
  page,
  server,
  otherBrowser,
}) => {
  const owner = await server.newOwner(2)
  const [first = '', second = ''] = owner.serials
  const electrician = await server.newElectrician(COMPANY)
  const theirs = await otherBrowser()
  await beLoggedIn(theirs, server, electrician)
  await theirs.goto('/electrician-settings#grants')
  await theirs.getByLabel(text('ask.serials'), { exact: true }).fill(`${first.toLowerCase()} ${second}`)
  await theirs.getByLabel(text('ask.message'), { exact: true }).fill(MESSAGE)
  await button(theirs, text('grants.ask.submit')).click()
  await expect(card(theirs, text('grants.held'))).toContainText(MESSAGE)
  await expectGood(theirs)

  await beLoggedIn(page, server, owner)
  await page.goto('/settings#grants')
  await expect(heading(page)).toBeVisible()
  await settled(page)
  await expect(page.getByText(MESSAGE, { exact: true })).toBeVisible()
  await expectGood(page)
  const both = { deed: text('grants.approve'), name: COMPANY, sn: `${first}, ${second}` }
  await button(page, text('grants.deed_label', both)).click()
  await dialog(page)
    .getByRole('checkbox', { name: text('grants.contact') })
    .check()
  await expectAccessible(page)
  await dialog(page).getByLabel(text('form.current_password'), { exact: true }).fill(owner.password)
  await button(dialog(page), text('grants.approve')).click()
  await expect(dialog(page)).toBeHidden()

  await theirs.setViewportSize(PHONE)
  await theirs.goto('/electrician-dashboard')
  await expect(theirs.getByRole('article')).toHaveCount(2)
  await theirs.getByLabel(text('fleet.sort'), { exact: true }).selectOption('sn')
  await button(theirs, text('fleet.sort.ascending')).click()
  await expect(theirs.getByRole('article').first()).toContainText(second)
  await theirs.getByRole('checkbox', { name: text('fleet.choose_all') }).check()
  await expectGood(theirs)
  await theirs.setViewportSize(PHONE)
  await card(theirs, text('fleet.bulk')).getByRole('link').click()
  await theirs.waitForURL('**/electrician-settings?**')
  await expect(theirs.getByRole('checkbox', { name: new RegExp(first) })).toBeChecked()

  await theirs.goto('/electrician-dashboard')
  await theirs.getByRole('link', { name: first }).click()
  const head = card(theirs, text('fleet.column.status'))
  await expect(head.locator('a[href^="tel:+"]')).toBeVisible()
  await expect(theirs.getByRole('link', { name: second, exact: true })).toBeVisible()
  await expectGood(theirs)
})

test('after a code from the box the next step is the commissioning, which is a task on the start page', async ({
  page,
  server,
}) => {
  const electrician = await server.newElectrician(COMPANY)
  const sn = await server.newUnit()
  const code = await server.installerCode(sn)
  await beLoggedIn(page, server, electrician)
  await page.goto('/electrician-settings#grants')
  await page.getByLabel(text('grants.code.label'), { exact: true }).fill(code)
  await button(page, text('grants.code.submit')).click()
  await page.getByRole('link', { name: text('grants.code.commission') }).click()
  await page.waitForURL(`**/${sn}/commissioning`)
  await button(page, text('commissioning.begin')).click()
  await expect(button(page, text('commissioning.begin'))).toBeHidden()
  await page.goto('/electrician-dashboard')
  const waiting = card(page, text('fleet.task.title'))
  await expect(waiting.getByRole('link')).toHaveAttribute(
    'href',
    `/electrician-dashboard/${sn}/commissioning`,
  )
  await expectGood(page)
})
