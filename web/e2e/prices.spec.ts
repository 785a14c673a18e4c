/** A provider's prices: a refused token is explained, a valid one brings prices; and time-of-use prices. */
import { expectGoodEverywhere } from './harness/axe.ts'
import { EVERY_SIZE, field, openPrices, sendChanges, setByApi } from './harness/settings.ts'
import { button, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

test('a wrong token is explained, and a right one brings prices', async ({ page, server }) => {
  const owner = await server.newOwner()
  await openPrices(page, server, owner)
  await field(page, 'provider').selectOption('tibber')
  await field(page, 'provider_token').fill('too-short')
  await button(page, text('settings.review')).click()
  await expect(page.getByText(text('field.token_too_short'))).toBeVisible()
  await field(page, 'provider_token').fill('wrong-token-of-the-provider')
  await sendChanges(page)
  const refused = text('settings.prices.trouble.token_refused', { provider: 'Tibber' })
  await expect(page.getByText(refused)).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText(text('settings.prices.trouble.token_refused.text'))).toBeVisible()
  await expectGoodEverywhere(page, EVERY_SIZE)
  await field(page, 'provider_token').fill('right-token-of-the-provider')
  await sendChanges(page)
  const well = text('settings.prices.well', { provider: 'Tibber' })
  await expect(page.getByText(well)).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText(refused)).toBeHidden()
})

test('exchange prices are known until a midnight, without a token', async ({ page, server }) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  await setByApi(server, owner, sn, { provider: 'energy_charts' })
  await openPrices(page, server, owner)
  await expect(page.getByText(text('settings.prices.well', { provider: 'Energy-Charts' }))).toBeVisible({
    timeout: 30_000,
  })
  await expect(page.getByText('24:00', { exact: false }).first()).toBeVisible()
  await expect(page.getByText('ct/kWh,', { exact: false })).toBeVisible()
})

test('time-of-use prices are typed in, refused if a time has none, and saved', async ({ page, server }) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  await setByApi(server, owner, sn, { provider: 'time_of_use' })
  await openPrices(page, server, owner)
  const form = page.getByRole('form', { name: text('settings.prices.steps') })
  const price = form.getByLabel(text('settings.prices.steps.price', { unit: 'ct/kWh' }))
  const start = form.getByLabel(text('settings.prices.steps.start'), { exact: true })
  await start.fill('06:00')
  await price.fill('34')
  await button(form, text('settings.prices.steps.save')).click()
  await expect(form.getByRole('alert')).toContainText(text('settings.prices.steps.refused'))
  await start.fill('00:00')
  await button(form, text('settings.prices.steps.add')).click()
  await price.nth(1).fill('21,5')
  await start.nth(1).fill('22:00')
  await button(form, text('settings.prices.steps.save')).click()
  await expect(page.getByText(text('settings.prices.steps.saved'))).toBeVisible()
  await expectGoodEverywhere(page, EVERY_SIZE)
  await page.reload()
  await settled(page)
  await expect(price.nth(1)).toHaveValue('21,50')
})
