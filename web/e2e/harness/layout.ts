/** Checks that the page's elements are large enough and readable. */
import { expect, type Page } from '@playwright/test'

/** Targets are at least 24 px in both directions, except for links within sentences. */
export async function expectReachableTargets(page: Page) {
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

/** Enlarges the text as a browser's text size does, without the layout; restored afterwards. */
export async function withDoubledText(page: Page, check: () => Promise<void>) {
  const restore = await page.evaluateHandle(() => {
    const elements = [...document.querySelectorAll<HTMLElement>('body, body *')]
    const before = elements.map((element) => ({
      element,
      own: element.style.fontSize,
      shown: Number.parseFloat(getComputedStyle(element).fontSize),
    }))
    for (const { element, shown } of before) element.style.fontSize = `${shown * 2}px`
    return () => {
      for (const { element, own } of before) element.style.fontSize = own
    }
  })
  await check()
  await restore.evaluate((act) => act())
}

/** Sets the browser's font size to twice the default. */
export async function withTextOfTwiceTheSize(page: Page, check: () => Promise<void>) {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Page.enable')
  const choose = (standard: number) => debug.send('Page.setFontSizes', { fontSizes: { standard } })
  await choose(32)
  await check()
  await choose(16)
  await debug.detach()
}

/** No text overflows a box that clips it. */
export async function expectNothingCut(page: Page) {
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
