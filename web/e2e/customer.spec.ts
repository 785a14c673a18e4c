/** The customer card: address, note, and photos that only the company sees. */
import { expectAccessible, expectNoSidewaysScroll, NARROW } from './harness/axe.ts'
import { beLoggedIn, button, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

/** A PNG of one pixel; the app sends a JPEG. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const ADDRESS = 'Am Hang 3, 12345 Musterstadt'
const NOTE = 'Hund im Garten\nSchlüssel beim Nachbarn'

test('an electrician reads the shared address, writes a note and adds a photo', async ({ page, server }) => {
  const owner = await server.newOwner()
  const electrician = await server.newElectrician()
  const [sn = ''] = owner.serials
  const owners = { Authorization: `Bearer ${(await server.logIn(owner)).access}` }
  const headers = { Authorization: `Bearer ${(await server.logIn(electrician)).access}` }
  const invitation = {
    sn,
    email: electrician.email,
    scope: 'monitor',
    password: owner.password,
    contact: 'true',
  }
  await server.post('/api/auth/grant/', invitation, 201, owners)
  await fetch(`${server.url}/api/auth/account/`, {
    method: 'PATCH',
    headers: owners,
    body: new URLSearchParams({ address: ADDRESS }),
  })
  const grants = await fetch(`${server.url}/api/auth/grant/`, { headers })
  const { held } = (await grants.json()) as { held: { id: number }[] }
  await server.post(`/api/auth/grant/${held[0]?.id}/accept/`, {}, 200, headers)

  await beLoggedIn(page, server, electrician)
  await page.goto(`/electrician-dashboard/${sn}`)
  const card = page.getByRole('region', { name: text('customer.title'), exact: true })
  await expect(card).toContainText(ADDRESS)
  await card.getByLabel(text('customer.note'), { exact: true }).fill(NOTE)
  await button(card, text('customer.note.save')).click()
  await expect(page.getByText(text('customer.note.saved'))).toBeVisible()
  await card
    .getByTestId('photos')
    .setInputFiles([{ name: 'Zählerschrank.png', mimeType: 'image/png', buffer: PIXEL }])
  const photos = card.getByRole('listitem').getByRole('img')
  await expect(photos).toHaveCount(1)
  await settled(page)
  await expectAccessible(page)

  await page.setViewportSize(NARROW)
  await page.reload()
  await expect(card.getByLabel(text('customer.note'), { exact: true })).toHaveValue(NOTE)
  await expect(photos).toHaveCount(1)
  await expectNoSidewaysScroll(page)
  await photos.click()
  const dialog = page.getByRole('dialog')
  await expectAccessible(page)
  await button(dialog, text('customer.photo.delete')).click()
  await expect(photos).toHaveCount(0)
})
