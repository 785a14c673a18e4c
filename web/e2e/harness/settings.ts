/** Actions on the settings page, and saving settings without it. */
import { expect, type Page } from '@playwright/test'
import { type Account, PASSWORD, type Server } from './server.ts'
import { beLoggedIn, button, settled } from './steps.ts'
import { type MessageId, text } from './texts.ts'

/** Desktop, phone, and the width of WCAG's reflow criterion. */
export const EVERY_SIZE = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
  { width: 320, height: 640 },
]

export type SystemSettings = {
  sn: string
  version: number
  state: string
  desired: Record<string, unknown>
  reported: Record<string, unknown>
  reported_at: number | null
  acknowledged_at: number | null
}

type Setting<Id> = Id extends `setting.${infer Name}.text` ? Name : never
export type SettingName = Setting<MessageId>
type Group = 'charging' | 'device' | 'meter'

export const field = (page: Page, name: SettingName) =>
  page.getByLabel(text(`setting.${name}`), { exact: true })

/** The button's name contains the group and, while it is closed, a summary. */
export const openGroup = (page: Page, group: Group) =>
  page.getByRole('button', { name: new RegExp(`^${text(`settings.group.${group}`)}`) }).click()

export async function openSettings(page: Page, server: Server, account: Account) {
  await beLoggedIn(page, server, account)
  await page.goto('/settings')
  await expect(field(page, 'reserve_soc')).toBeVisible()
  await settled(page)
}

/** Provider, token and prices are a separate part of the settings. */
export async function openPrices(page: Page, server: Server, account: Account) {
  await beLoggedIn(page, server, account)
  await page.goto('/settings?part=prices')
  await expect(field(page, 'provider')).toBeVisible()
  await settled(page)
}

/** Reviews the changes and sends them. */
export async function sendChanges(page: Page, { password }: { password?: string } = {}) {
  await button(page, text('settings.review')).click()
  const dialog = page.getByRole('dialog')
  if (password) await dialog.getByLabel(text('form.current_password'), { exact: true }).fill(password)
  await button(dialog, text('settings.send')).click()
  await expect(dialog).toBeHidden()
}

export const readSettings = (server: Server, account: Account, sn: string) =>
  server.get<SystemSettings>(`/api/auth/settings/?sn=${sn}`, account)

/** Saves settings outside the browser. */
export async function setByApi(server: Server, account: Account, sn: string, fields: Record<string, string>) {
  const { version } = await readSettings(server, account, sn)
  const { access } = await server.logIn(account)
  const body = { version: String(version), password: PASSWORD, ...fields }
  await server.post(`/api/auth/settings/?sn=${sn}`, body, 200, { Authorization: `Bearer ${access}` })
}

/** Waits until the battery has reported its settings. */
export const hasReported = (server: Server, account: Account, sn: string) =>
  expect
    .poll(async () => {
      const { state, reported_at } = await readSettings(server, account, sn)
      return reported_at !== null && state
    })
    .toMatch(/applied|refused/)
