/** Groups of systems: created, filled, renamed and deleted on the dashboard (specification 2 and 5). */
import type { Page } from '@playwright/test'
import { expectAccessible } from './harness/axe.ts'
import { setPreferences } from './harness/screens.ts'
import { beLoggedIn, button, seeAll } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { LANGUAGES, text } from './harness/texts.ts'

const group = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const nameField = (page: Page) => page.getByLabel(text('groups.name'), { exact: true })
const dialog = (page: Page) => page.getByRole('dialog')

/** Creates a group with these systems by the form. */
async function create(page: Page, name: string, serials: string[] = []) {
  await button(page, text('groups.create')).click()
  await nameField(page).fill(name)
  for (const sn of serials) await dialog(page).getByRole('checkbox', { name: sn }).check()
  await button(dialog(page), text('groups.submit')).click()
}

test('a group without a name is refused, and one with a name is created', async ({ page, server }) => {
  const owner = await server.newOwner(3)
  const [first = '', second = '', third = ''] = owner.serials
  await beLoggedIn(page, server, owner)
  await page.goto('/dashboard')
  await seeAll(page)

  await create(page, '  ')
  await expect(dialog(page).getByText(text('field.required'))).toBeVisible()
  await expect(nameField(page)).toBeFocused()
  await nameField(page).fill('Ferienhaus')
  await dialog(page).getByRole('checkbox', { name: first }).check()
  await button(dialog(page), text('groups.submit')).click()
  await expect(page.getByText(text('groups.created', { name: 'Ferienhaus' }))).toBeVisible()
  await expect(dialog(page)).toBeHidden()
  await expect(group(page, 'Ferienhaus').getByText(first)).toBeVisible()
  await expect(group(page, text('groups.without')).getByText(second)).toBeVisible()

  await create(page, 'FERIENHAUS')
  await expect(dialog(page).getByText(text('field.group_taken'))).toBeVisible()
  await button(dialog(page), text('ui.cancel')).click()

  // Joining one group leaves the other.
  await create(page, 'Zuhause', [first, third])
  await expect(group(page, 'Zuhause').getByText(first)).toBeVisible()
  await expect(group(page, 'Zuhause').getByText(third)).toBeVisible()
  await expect(group(page, 'Ferienhaus')).toContainText(text('groups.empty'))

  await page.reload()
  await seeAll(page)
  await expect(group(page, 'Zuhause').getByText(third)).toBeVisible()
  await expectAccessible(page)
})

test('a group is renamed, changed and deleted', async ({ page, server }) => {
  const owner = await server.newOwner(2)
  const [first = '', second = ''] = owner.serials
  await beLoggedIn(page, server, owner)
  await page.goto('/dashboard')
  await seeAll(page)
  await create(page, 'Haus', [first])
  await expect(group(page, 'Haus')).toBeVisible()

  await button(page, text('groups.edit.label', { name: 'Haus' })).click()
  await nameField(page).fill('Haus am See')
  await dialog(page).getByRole('checkbox', { name: first }).uncheck()
  await dialog(page).getByRole('checkbox', { name: second }).check()
  await button(dialog(page), text('groups.save')).click()
  await expect(group(page, 'Haus am See').getByText(second)).toBeVisible()
  await expect(group(page, text('groups.without')).getByText(first)).toBeVisible()

  await button(page, text('groups.delete.label', { name: 'Haus am See' })).click()
  await button(dialog(page), text('ui.no')).click()
  await expect(dialog(page)).toBeHidden()
  await expect(group(page, 'Haus am See')).toBeVisible()
  await button(page, text('groups.delete.label', { name: 'Haus am See' })).click()
  await button(dialog(page), text('groups.delete')).click()
  await expect(group(page, 'Haus am See')).toBeHidden()
  // The button that had the focus is gone too.
  await expect(page.getByRole('region', { name: text('systems.title') })).toBeFocused()
  await expect(page.getByRole('main').getByText(second, { exact: true })).toBeVisible()
})

test('the selector shows systems under their group', async ({ page, server }) => {
  const owner = await server.newOwner(3)
  const [first = '', second = '', third = ''] = owner.serials
  await beLoggedIn(page, server, owner)
  await page.goto('/dashboard')
  await seeAll(page)
  await create(page, 'Zuhause', [third])
  await expect(group(page, 'Zuhause')).toBeVisible()
  await page.getByRole('button', { name: text('selector.all') }).click()
  const items = page.getByRole('menuitemradio')
  await expect(items).toHaveText([text('selector.all'), third, first, second].map((name) => new RegExp(name)))
  await expectAccessible(page)
  await page.getByRole('group', { name: 'Zuhause' }).getByRole('menuitemradio').click()
  await expect(page.getByRole('banner')).toContainText(`Zuhause·${third}`)
})

test('ten groups are on a page', async ({ page, server }) => {
  const owner = await server.newOwner()
  const tokens = await server.logIn(owner)
  const bearer = { Authorization: `Bearer ${tokens.access}` }
  for (let number = 1; number <= 11; number += 1)
    await server.post('/api/auth/group/', { name: `Haus ${number}`, sn: '' }, 201, bearer)
  await beLoggedIn(page, server, owner)
  await page.goto('/dashboard')
  await seeAll(page)
  await expect(group(page, 'Haus 10')).toBeVisible()
  await expect(group(page, 'Haus 11')).toBeHidden()
  const pages = page.getByRole('navigation', { name: text('pages.of', { list: text('groups.title') }) })
  await button(pages, text('pages.page', { number: '2' })).click()
  await expect(group(page, 'Haus 11')).toBeVisible()
})

test('a new group is confirmed in every language', async ({ page, server }) => {
  await beLoggedIn(page, server, await server.newOwner())
  for (const language of LANGUAGES)
    await test.step(language, async () => {
      await setPreferences(page, { language })
      await page.goto('/dashboard')
      await seeAll(page)
      await button(page, text('groups.create', {}, language)).click()
      const name = `A & B ${language}`
      await page.getByLabel(text('groups.name', {}, language), { exact: true }).fill(name)
      await button(dialog(page), text('groups.submit', {}, language)).click()
      await expect(page.getByText(text('groups.created', { name }, language))).toBeVisible()
    })
})
