import { expect, type Page } from '@playwright/test'

/** Presses Tab until the element with this name has the focus, and checks that the focus is visible. */
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

/** The focused element, its label or the box around it has an outline. */
export async function expectFocusToShow(page: Page) {
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

/**
 * Tabs through the page in one direction: every stop has a visible focus and is not covered by fixed bars.
 */
export async function expectEveryStopInSight(page: Page, key: 'Tab' | 'Shift+Tab') {
  const visited = new Set<string>()
  let last = ''
  for (;;) {
    await page.keyboard.press(key)
    const stop = await stopOf(page)
    if (stop === null) break
    // The parts of a date field are separate stops.
    if (stop.place === last) continue
    last = stop.place
    // All stops were visited.
    if (visited.has(stop.place)) break
    visited.add(stop.place)
    expect(stop.inSight, `${stop.name} can be seen when it has the focus`).toBe(true)
    await expectFocusToShow(page)
  }
  expect(visited.size, 'stops of the Tab key').toBeGreaterThan(5)
}

/** The focused element, and whether any part of it is visible; null outside the page. */
const stopOf = (page: Page) =>
  page.evaluate(() => {
    const focused = document.activeElement
    if (!focused || focused === document.body) return null
    // A hidden radio button has a visible element beside it.
    const face = (focused.matches('input.sr-only') ? focused.nextElementSibling : null) ?? focused
    const { left, top, width, height } = face.getBoundingClientRect()
    const parts = [0.1, 0.5, 0.9]
    const inSight = parts.some((x) =>
      parts.some((y) => {
        const hit = document.elementFromPoint(left + width * x, top + height * y)
        return hit !== null && (face.contains(hit) || focused.closest('label')?.contains(hit) === true)
      }),
    )
    return {
      place: String([...document.querySelectorAll('*')].indexOf(focused)),
      name: focused.getAttribute('aria-label') ?? focused.textContent,
      inSight,
    }
  })
