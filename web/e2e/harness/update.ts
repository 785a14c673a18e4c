/** The steps of the update wizard, and the main switch of the battery. */
import type { Page } from '@playwright/test'
import type { Account, Server } from './server.ts'
import { beLoggedIn, button, settled } from './steps.ts'
import { expect } from './test.ts'
import { type MessageId, text } from './texts.ts'

/** The timeout for a battery, also a simulated one. */
export const SOON = { timeout: 90_000 }

export const stepHeading = (page: Page, id: MessageId, sn = '') =>
  page.getByRole('heading', { level: 2, name: text(id, { sn }), exact: true })
export const dialog = (page: Page, id: MessageId) => page.getByRole('dialog', { name: text(id), exact: true })
export const progress = (page: Page) => page.getByRole('progressbar', { name: text('update.progress') })
export const turn = (server: Server, what: 'power' | 'main-switch', sn: string, on: 0 | 1) =>
  server.post(`/demo/${what}/`, { sn, on: String(on) }, 204)

export async function openWizard(page: Page, server: Server, account: Account, sn: string) {
  await beLoggedIn(page, server, account)
  await page.goto(`/update?sn=${sn}`)
  await settled(page)
}

/** Switches the battery off and starts the update. */
export async function start(page: Page, server: Server, account: Account, sn: string) {
  await turn(server, 'main-switch', sn, 0)
  await openWizard(page, server, account, sn)
  await expect(page.getByRole('radio', { name: new RegExp(`^${sn}`) })).toBeChecked()
  await button(page, text('update.next')).click()
  await button(page, text('update.start')).click()
  // The page shows it at once; the server has it when it answers.
  const taken = page.waitForResponse(
    (answer) => answer.url().includes('/api/v1/update/') && answer.request().method() === 'POST',
  )
  await button(dialog(page, 'update.confirm'), text('update.start')).click()
  await taken
  await expect(stepHeading(page, 'update.running', sn)).toBeVisible()
}

/**
 * On for some seconds and off again, as often as the wizard asks for it; the wizard polls every three
 * seconds.
 */
async function turnOnAndOff(page: Page, server: Server, sn: string) {
  const asked = page.getByText(text('update.switch.on_then_off', { min: '5', max: '10' }), { exact: true })
  let on: 0 | 1 = 0
  await expect(async () => {
    on = on === 0 ? 1 : 0
    await turn(server, 'main-switch', sn, on)
    await expect(asked).toBeHidden({ timeout: 5_000 })
  }).toPass(SOON)
}

/** Operates the main switch as the wizard asks, up to the end. */
export async function finish(page: Page, server: Server, sn: string) {
  const between = dialog(page, 'update.news.part_finished')
  const over = dialog(page, 'update.news.finished')
  await expect(between.or(over)).toBeVisible(SOON)
  while (await between.isVisible()) {
    await button(between, text('update.ok')).click()
    await expect(between).toBeHidden()
    await turnOnAndOff(page, server, sn)
    await expect(between.or(over)).toBeVisible(SOON)
  }
  await button(over, text('update.ok')).click()
  await expect(stepHeading(page, 'update.finished', sn)).toBeVisible()
  await turn(server, 'main-switch', sn, 1)
  await expect(page.getByText(text('update.all_done'), { exact: true })).toBeVisible(SOON)
}
