import { expect, type Page } from '@playwright/test'

/** Presses Tab until the element with this name has the focus, and sees that the focus shows. */
export async function tabTo(page: Page, role: Parameters<Page['getByRole']>[0], name: string | RegExp) {
  const target = page.getByRole(role, { name, exact: typeof name === 'string' })
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((element) => element === document.activeElement)) {
      await expectFocusToShow(page)
      return
    }
  }
  throw new Error(`Tab does not reach ${name}`)
}

/** The focused element, its label's face or the box around it has an outline. */
async function expectFocusToShow(page: Page) {
  const visible = await page.evaluate(() => {
    const shows = (element: Element | null | undefined) => {
      if (!element) return false
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
    }
    const focused = document.activeElement
    return shows(focused) || shows(focused?.nextElementSibling) || shows(focused?.parentElement)
  })
  expect(visible, 'the focus shows').toBe(true)
}
