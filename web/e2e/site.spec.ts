/** A system's site: the owner describes it, the electrician reads it in the fleet and on the system page. */
import type { Page } from '@playwright/test'
import { DESK, expectAccessible, expectGoodEverywhere, expectNoSidewaysScroll, PHONE } from './harness/axe.ts'
import type { Account, Server } from './harness/server.ts'
import { EVERY_SIZE } from './harness/settings.ts'
import { beLoggedIn, button, heading, seeAll, sendRegistration, settled } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

const card = (page: Page) => page.getByRole('region', { name: text('site.title'), exact: true })
const plane = (page: Page, number: number) =>
  card(page).getByRole('group', { name: text('site.plane', { number: String(number) }), exact: true })
const save = (page: Page) => button(card(page), text('account.save'))

async function invite(server: Server, owner: Account, email: string, scope: string) {
  const owners = { Authorization: `Bearer ${(await server.logIn(owner)).access}` }
  const invitation = { sn: '-1', email, scope, password: owner.password }
  await server.post('/api/auth/grant/', invitation, 201, owners)
}

async function letIn(server: Server, owner: Account, electrician: Account, scope: string) {
  await invite(server, owner, electrician.email, scope)
  const theirs = { Authorization: `Bearer ${(await server.logIn(electrician)).access}` }
  const { held } = await server.get<{ held: { id: number; state: string }[] }>(
    '/api/auth/grant/',
    electrician,
  )
  for (const { id } of held.filter(({ state }) => state === 'invited'))
    await server.post(`/api/auth/grant/${id}/accept/`, {}, 200, theirs)
}

test('an owner describes the site of two systems, and the electrician finds it by its place', async ({
  page,
  server,
  otherBrowser,
}) => {
  const owner = await server.newOwner(2)
  const [first = '', second = ''] = owner.serials
  await beLoggedIn(page, server, owner)
  await page.goto('/settings?part=site')
  await expect(heading(page)).toBeVisible()
  await settled(page)
  await card(page).getByLabel(text('site.place'), { exact: true }).fill('Würzburg')
  const latitude = card(page).getByLabel(text('site.latitude'), { exact: true })
  // The town's coordinates, which differ from the house's.
  await expect(latitude).toHaveValue('49,79')
  await latitude.fill('49,81132')
  await card(page).getByLabel(text('site.longitude'), { exact: true }).fill('')
  await save(page).click()
  // One coordinate without the other is invalid.
  await expect(card(page).getByLabel(text('site.longitude'), { exact: true })).toBeFocused()
  await card(page).getByLabel(text('site.longitude'), { exact: true }).fill('9.95128')
  await card(page).getByRole('checkbox').check()
  await card(page).getByLabel(text('site.time_zone'), { exact: true }).selectOption('Europe/Vienna')
  for (const [number, kwp, azimuth] of [
    [1, '5,2', '-90'],
    [2, '4,64', '90'],
  ] as const) {
    await button(card(page), text('site.plane.add')).click()
    await plane(page, number).getByLabel(text('site.kwp'), { exact: true }).fill(kwp)
    await plane(page, number).getByLabel(text('site.tilt'), { exact: true }).fill('30')
    await plane(page, number).getByLabel(text('site.azimuth'), { exact: true }).fill(azimuth)
  }
  await expect(plane(page, 1)).toContainText(text('site.compass.east'))
  await expect(plane(page, 2)).toContainText(text('site.compass.west'))
  await expect(card(page)).toContainText(text('site.peak', { kwp: '9,84' }))
  await expectGoodEverywhere(page, EVERY_SIZE)
  await page.setViewportSize(DESK)
  await plane(page, 2).getByLabel(text('site.tilt'), { exact: true }).fill('95')
  await save(page).click()
  await expect(plane(page, 2)).toContainText(text('site.wrong.tilt'))
  await plane(page, 2).getByLabel(text('site.tilt'), { exact: true }).fill('25')
  await save(page).click()
  await expect(page.getByText(text('site.saved'))).toBeVisible()
  // As stored: rounded to a kilometre.
  await expect(card(page).getByLabel(text('site.latitude'), { exact: true })).toHaveValue('49,81')
  const kept = await server.get<object>(`/api/auth/system/${first}/`, owner)
  expect(kept).toMatchObject({
    place: 'Würzburg',
    latitude: 49.81,
    longitude: 9.95,
    time_zone: 'Europe/Vienna',
    kwp: 9.84,
    planes: [
      { kwp: 5.2, tilt: 30, azimuth: -90 },
      { kwp: 4.64, tilt: 25, azimuth: 90 },
    ],
  })
  // The house is the same; each system has its own roof.
  const other = await server.get<object>(`/api/auth/system/${second}/`, owner)
  expect(other).toMatchObject({ place: 'Würzburg', latitude: 49.81, kwp: null, time_zone: 'Europe/Berlin' })

  const eva = await server.newElectrician()
  await letIn(server, owner, eva, 'monitor')
  const elsewhere = await server.newOwner()
  await letIn(server, elsewhere, eva, 'monitor')
  const hers = await otherBrowser()
  await hers.setViewportSize(DESK)
  await beLoggedIn(hers, server, eva)
  await hers.goto(`${server.url}/electrician-dashboard`)
  await expect(hers.getByRole('table').getByRole('link')).toHaveCount(3)
  await button(hers, text('fleet.columns')).click()
  await hers.getByRole('menuitemcheckbox', { name: text('fleet.column.place'), exact: true }).click()
  await hers.keyboard.press('Escape')
  await hers.getByRole('searchbox').fill('wurzburg')
  await expect(hers.getByRole('table').getByRole('link')).toHaveCount(2)
  await expect(hers.getByRole('cell', { name: 'Würzburg' })).toHaveCount(2)
  await expectAccessible(hers)
  await hers.getByRole('link', { name: first, exact: true }).click()
  await seeAll(hers)
  // Look-only access.
  await expect(card(hers)).toContainText('Würzburg')
  await expect(card(hers)).toContainText(text('site.peak', { kwp: '9,84' }))
  await expect(card(hers).locator('form')).toHaveCount(0)
  await expectAccessible(hers)
  await hers.setViewportSize(PHONE)
  await expectNoSidewaysScroll(hers)
})

test('the time zone of a measuring battery is fixed, and the page says why', async ({ page, server }) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  const battery = server.connectBattery(owner)
  await expect
    .poll(
      async () => {
        const site = await server.get<{ time_zone_fixed: boolean }>(`/api/auth/system/${sn}/`, owner)
        return site.time_zone_fixed
      },
      { timeout: 60_000 },
    )
    .toBe(true)
  await beLoggedIn(page, server, owner)
  await page.goto('/settings?part=site')
  await settled(page)
  await expect(card(page).getByLabel(text('site.time_zone'), { exact: true })).toBeDisabled()
  await expect(card(page)).toContainText(text('site.time_zone.fixed'))
  // The other fields can still be changed.
  await card(page).getByLabel(text('site.place'), { exact: true }).fill('Bonn')
  await save(page).click()
  await expect(page.getByText(text('site.saved'))).toBeVisible()
  await battery.unplug()
})

test('a town of the list fills in its coordinates, and without the list they are typed', async ({
  page,
  server,
}) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  await beLoggedIn(page, server, owner)
  await page.route('**/towns/w.json', (route) => route.abort())
  await page.goto('/settings?part=site')
  const place = card(page).getByLabel(text('site.place'), { exact: true })
  const latitude = card(page).getByLabel(text('site.latitude'), { exact: true })
  await place.pressSequentially('ful')
  await expect(card(page).locator('datalist option[value="Fulda"]')).toBeAttached()
  await place.fill('Fulda')
  await expect(latitude).toHaveValue('50,55')
  await expectGoodEverywhere(page, EVERY_SIZE)

  await place.fill('Würzburg')
  await expect(latitude).toHaveValue('50,55')
  await latitude.fill('49,79')
  await save(page).click()
  await expect(page.getByText(text('site.saved'))).toBeVisible()
  const kept = await server.get<object>(`/api/auth/system/${sn}/`, owner)
  expect(kept).toMatchObject({ place: 'Würzburg', latitude: 49.79, longitude: 9.68 })
})

test('one press fills in the device’s position, to about a kilometre, and a refusal says what to do', async ({
  page,
  context,
  server,
}) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  await beLoggedIn(page, server, owner)
  await page.goto('/settings?part=site')
  const press = button(card(page), text('site.position'))
  await expect(press).toHaveAccessibleDescription(text('site.position.text'))
  await press.click()
  await expect(card(page)).toContainText(text('site.position.refused'))
  await expectGoodEverywhere(page, EVERY_SIZE)

  await context.grantPermissions(['geolocation'])
  await context.setGeolocation({ latitude: 49.791_32, longitude: 9.951_28 })
  await press.click()
  await expect(card(page)).toContainText(
    text('site.position.found', { latitude: '49,79', longitude: '9,95' }),
  )
  await expect(card(page).getByLabel(text('site.latitude'), { exact: true })).toHaveValue('49,79')
  // Nothing was sent yet.
  const read = () => server.get<{ latitude: number | null }>(`/api/auth/system/${sn}/`, owner)
  expect((await read()).latitude).toBeNull()
  await save(page).click()
  await expect(page.getByText(text('site.saved'))).toBeVisible()
  expect(await read()).toMatchObject({ latitude: 49.79, longitude: 9.95 })
})

test('an electrician who configures changes it on the system page, and a member who only looks reads it', async ({
  page,
  server,
  otherBrowser,
}) => {
  const owner = await server.newOwner()
  const [sn = ''] = owner.serials
  const eva = await server.newElectrician()
  await letIn(server, owner, eva, 'configure')
  await beLoggedIn(page, server, eva)
  await page.goto(`/electrician-dashboard/${sn}`)
  await seeAll(page)
  await card(page).getByLabel(text('site.place'), { exact: true }).fill('Fulda')
  await save(page).click()
  await expect(page.getByText(text('site.saved'))).toBeVisible()
  await expectAccessible(page)

  const member = server.nextAccount('user')
  await invite(server, owner, member.email, 'look')
  const theirs = await otherBrowser()
  await theirs.goto(await server.linkMailedTo(member.email, '#key='))
  await sendRegistration(theirs, { account: member })
  await expect(theirs.getByText(sn)).toBeVisible()
  await beLoggedIn(theirs, server, member)
  await theirs.goto(`${server.url}/settings?part=site`)
  await settled(theirs)
  await expect(card(theirs)).toContainText('Fulda')
  await expect(card(theirs).locator('form')).toHaveCount(0)
  await expectAccessible(theirs)
})
