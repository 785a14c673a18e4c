import type { Page } from '@playwright/test'
import { DESK, expectNoSidewaysScroll, PHONE } from './harness/axe.ts'
import { addressOf, become, open, prefer, SCREENS } from './harness/screens.ts'
import { button, heading, seeAll } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { LANGUAGES, type Language, messageIds, text } from './harness/texts.ts'

/** Ids that no sentence contains by chance: at least one dot between two words. */
const IDS = new Set<string>(messageIds)
const ID_LIKE = /\b[a-z_]+(?:\.[a-z_]+)+\b/g

/** Chooses another language where the visitor of an open page finds the choice. */
async function choose(page: Page, language: Language, current: Language) {
  const list = page.getByLabel(text('top.language', {}, current), { exact: true })
  if ((await list.count()) > 0) await list.selectOption(language)
  else {
    await button(page, text('top.display', {}, current)).click()
    await page.locator(`[role=menuitemradio]:has([lang=${language}])`).click()
    await page.keyboard.press('Escape')
  }
}

for (const screen of SCREENS) {
  test(`${screen.path} speaks every language, shows no bare id and fits`, async ({ page, server }) => {
    await become(page, server, screen.visitor)
    await open(page, addressOf(screen, server))
    let current: Language = 'de'
    for (const language of LANGUAGES) {
      await test.step(language, async () => {
        if (language !== current) await choose(page, language, current)
        current = language
        await expect(page.locator('html')).toHaveAttribute('lang', language)
        await seeAll(page)
        await expect(heading(page)).not.toBeEmpty()
        const shown = await shownOn(page)
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

/** Whatever a page says, to those who see it and to those who hear it. */
const shownOn = (page: Page) =>
  page.evaluate(() =>
    [
      document.title,
      document.body.textContent,
      ...[...document.querySelectorAll('[aria-label], [title], [placeholder]')].flatMap((element) =>
        ['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
      ),
    ].join('\n'),
  )

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
