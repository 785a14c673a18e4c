import { DESK, expectNoSidewaysScroll, PHONE } from './harness/axe.ts'
import { addressOf, become, open, prefer, SCREENS, VISITORS } from './harness/screens.ts'
import { heading } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { LANGUAGES, messageIds } from './harness/texts.ts'

/** Ids that no sentence contains by chance: at least one dot between two words. */
const IDS = new Set<string>(messageIds)
const ID_LIKE = /\b[a-z_]+(?:\.[a-z_]+)+\b/g

for (const language of LANGUAGES) {
  for (const visitor of VISITORS) {
    test(`every page for the visitor ${visitor} speaks ${language}, shows no bare id and fits`, async ({
      page,
      server,
    }) => {
      await become(page, server, visitor)
      if (visitor === 'guest') await page.goto('/healthz')
      await prefer(page, { language })
      for (const screen of SCREENS.filter((one) => one.visitor === visitor)) {
        await test.step(screen.path, async () => {
          await open(page, addressOf(screen, server))
          await expect(page.locator('html')).toHaveAttribute('lang', language)
          await expect(heading(page)).not.toBeEmpty()
          const shown = await page.evaluate(() =>
            [
              document.title,
              document.body.textContent,
              ...[...document.querySelectorAll('[aria-label], [title], [placeholder]')].flatMap((element) =>
                ['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
              ),
            ].join('\n'),
          )
          expect((shown.match(ID_LIKE) ?? []).filter((word) => IDS.has(word))).toEqual([])
          expect(shown, 'a value that was not filled in').not.toMatch(/\{\w+[,}]/)
          for (const size of [PHONE, DESK]) {
            await page.setViewportSize(size)
            await expectNoSidewaysScroll(page)
          }
        })
      }
    })
  }
}

test('the refusals of the server come in the language of the page', async ({ page }) => {
  for (const [language, sentence] of [
    ['en', /Invalid credentials\./],
    ['de', /fehlgeschlagen/],
  ] as const) {
    await page.goto('/healthz')
    await prefer(page, { language })
    await page.goto('/login')
    await page.locator('input[name=email]').fill('nobody@example.org')
    await page.locator('input[name=password]').fill('Wrong-password-1')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toContainText(sentence)
  }
})
