/** Every screen in both themes, on a phone and on a desk: axe, sideways scroll, targets (checks 41). */
import type { Page } from '@playwright/test'
import { DESK, expectGoodEverywhere, expectNoSidewaysScroll, PHONE } from './harness/axe.ts'
import { addressOf, authScreens, become, open, SCREENS, STATES } from './harness/screens.ts'
import { expect, test } from './harness/test.ts'

// A dialog that is still fading in has the wrong contrast.
test.use({ contextOptions: { reducedMotion: 'reduce' } })

async function expectGoodScreen(page: Page) {
  await expectGoodEverywhere(page, [DESK, PHONE])
  for (const size of [DESK, PHONE]) {
    await page.setViewportSize(size)
    await expectReachableTargets(page)
  }
}

/** Whatever one can press is at least 24 px in both directions; links within a sentence may be lower. */
async function expectReachableTargets(page: Page) {
  const small = await page.evaluate(() =>
    [...document.querySelectorAll('button, a, input, select, [role^=menuitem]')]
      .filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) && !element.closest('p, label a, .sr-only'),
      )
      .map((element) => (element.matches('label input') ? element.closest('label') : element) ?? element)
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect()
        return width > 1 && (width < 24 || height < 24)
      })
      .map((element) => `${element.tagName} ${element.textContent || element.getAttribute('aria-label')}`),
  )
  expect(small, 'smaller than 24 px').toEqual([])
}

for (const screen of SCREENS) {
  test(`${screen.path} is accessible in both themes on phone and desk`, async ({ page, server }) => {
    await become(page, server, screen.visitor)
    await open(page, addressOf(screen, server))
    await expectGoodScreen(page)
  })
}

for (const { name, screen, act } of STATES) {
  test(`${name} is accessible in both themes on phone and desk`, async ({ page, server }) => {
    await become(page, server, screen.visitor)
    await open(page, addressOf(screen, server))
    await act(page)
    await expectGoodScreen(page)
  })
}

test('the pages before the login reflow at 320 px', async ({ page, server }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await become(page, server, 'waiting')
  for (const screen of authScreens) {
    await open(page, addressOf(screen, server))
    await test.step(screen.path, () => expectNoSidewaysScroll(page))
  }
})

test('the pages behind the login reflow at 320 px', async ({ page, server }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await become(page, server, 'owner')
  for (const screen of SCREENS.filter(({ visitor }) => visitor === 'owner')) {
    await open(page, addressOf(screen, server))
    await test.step(screen.path, () => expectNoSidewaysScroll(page))
  }
})

for (const width of [1440, 390]) {
  test(`text of twice the size loses nothing on the pages before the login at ${width} px`, async ({
    page,
    server,
  }) => {
    await page.setViewportSize({ width, height: 900 })
    await become(page, server, 'waiting')
    for (const screen of authScreens) {
      await test.step(screen.path, async () => {
        await open(page, addressOf(screen, server))
        await doubleText(page)
        await expectNoSidewaysScroll(page)
        await expectNothingCut(page)
      })
    }
  })
}

for (const width of [1440, 390]) {
  test(`text of twice the size loses nothing on the pages behind the login at ${width} px`, async ({
    page,
    server,
  }) => {
    await page.setViewportSize({ width, height: 900 })
    await become(page, server, 'owner')
    for (const screen of SCREENS.filter(({ visitor }) => visitor === 'owner')) {
      await test.step(screen.path, async () => {
        await open(page, addressOf(screen, server))
        await doubleText(page)
        await expectNoSidewaysScroll(page)
        await expectNothingCut(page)
      })
    }
  })
}

/** What a browser's text size does: letters grow, boxes stay as they are laid out. */
async function doubleText(page: Page) {
  await page.evaluate(() => {
    const elements = [...document.querySelectorAll<HTMLElement>('body, body *')]
    const sizes = elements.map((element) => Number.parseFloat(getComputedStyle(element).fontSize))
    for (const [index, element] of elements.entries())
      element.style.fontSize = `${(sizes[index] ?? 16) * 2}px`
  })
}

/** No text is larger than the box that cuts it off. */
async function expectNothingCut(page: Page) {
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main *, header *, footer *')]
      .filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) && !element.closest('.sr-only, svg, select'),
      )
      .filter((element) => element.textContent?.trim() && getComputedStyle(element).overflow !== 'visible')
      .filter(
        ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
          scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1,
      )
      .map((element) => `${element.tagName} ${element.className} ${element.textContent?.slice(0, 40)}`),
  )
  expect(cut, 'cut off').toEqual([])
}
