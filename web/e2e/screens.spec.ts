/**
 * Every screen with its menus, dialogs and errors: both themes, phone and desktop, large text, five languages
 * (checks 41).
 */
import type { Page } from '@playwright/test'
import { DESK, expectGoodEverywhere, expectNoSidewaysScroll, NARROW, PHONE } from './harness/axe.ts'
import {
  expectNothingCut,
  expectReachableTargets,
  withDoubledText,
  withTextOfTwiceTheSize,
} from './harness/layout.ts'
import { addressOf, isAt, logInAs, open, SCREENS, STATES } from './harness/screens.ts'
import { button, heading, seeAll } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { LANGUAGES, type Language, messageIds, text } from './harness/texts.ts'

for (const screen of SCREENS) {
  const states = STATES.filter((state) => isAt(state, screen))

  test(`${screen.path} is accessible in both themes on phone and desk, reflows at 320 px, loses nothing with text of twice the size, and speaks every language`, async ({
    page,
    server,
  }) => {
    test.slow()
    const address = addressOf(screen, server)
    await logInAs(page, server, screen.visitor)
    await open(page, address)
    await expectGoodScreen(page)
    for (const { width } of [DESK, PHONE]) await expectRoomForLargeText(page, width)
    await expectRoomForChosenText(page)
    await page.setViewportSize(DESK)

    for (const { name, part, act } of states)
      await test.step(name, async () => {
        await act(page)
        await expectGoodScreen(page, part)
        await page.setViewportSize(DESK)
        if (part) await close(page, part)
        else await open(page, address)
      })

    let current: Language = 'de'
    for (const language of LANGUAGES)
      await test.step(language, async () => {
        if (language !== current) await choose(page, language, current)
        current = language
        await expectLanguage(page, language)
      })
  })
}

for (const { name, screen, act } of STATES.filter((state) => !SCREENS.some((one) => isAt(state, one)))) {
  test(`${name} is accessible in both themes on phone and desk`, async ({ page, server }) => {
    await logInAs(page, server, screen.visitor)
    await open(page, addressOf(screen, server))
    await act(page)
    await expectGoodScreen(page)
  })
}

async function close(page: Page, part: string) {
  await page.keyboard.press('Escape')
  await expect(page.locator(part)).toHaveCount(0)
}

async function expectGoodScreen(page: Page, part?: string) {
  await expectGoodEverywhere(page, [DESK, PHONE, NARROW], part)
  for (const size of [DESK, PHONE]) {
    await page.setViewportSize(size)
    await expectReachableTargets(page)
  }
}

async function expectRoomForLargeText(page: Page, width: number) {
  await page.setViewportSize({ width, height: 900 })
  await withDoubledText(page, () => expectRoom(page))
}

/**
 * The layout also follows the browser's font size: a desktop becomes as narrow as with everything enlarged.
 */
async function expectRoomForChosenText(page: Page) {
  await page.setViewportSize(DESK)
  const usual = await textSize(page)
  await withTextOfTwiceTheSize(page, async () => {
    expect(await textSize(page)).toBeCloseTo(2 * usual)
    await expectRoom(page)
  })
}

const textSize = (page: Page) =>
  page.evaluate(() => Number.parseFloat(getComputedStyle(document.body).fontSize))

async function expectRoom(page: Page) {
  await expectNoSidewaysScroll(page)
  await expectNothingCut(page)
}

/** Selects another language on the open page. */
async function choose(page: Page, language: Language, current: Language) {
  const list = page.getByLabel(text('top.language', {}, current), { exact: true })
  if ((await list.count()) > 0) await list.selectOption(language)
  else {
    await button(page, text('top.display', {}, current)).click()
    await page.locator(`[role=menuitemradio]:has([lang=${language}])`).click()
    await page.keyboard.press('Escape')
  }
}

/** Ids that are no sentence by chance: at least one dot between two words. */
const IDS = new Set<string>(messageIds)
const ID_LIKE = /\b[a-z_]+(?:\.[a-z_]+)+\b/g

/** The page is in this language, shows no bare id and no empty value, and fits. */
async function expectLanguage(page: Page, language: Language) {
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
}

/** All texts of a page, visible and for screen readers. */
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
