import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type { AxeResults } from 'axe-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** No rule of axe is broken on what is on the page now; if one is, the message says where. */
export async function expectAccessible(page: Page) {
  // Evaluated by the debugger: a script element would be stopped by the CSP.
  await page.evaluate(source)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
  )
  const found = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('\n')}`,
  )
  expect(found).toEqual([])
}

/** Nothing reaches beyond the right edge. */
export async function expectNoSidewaysScroll(page: Page) {
  const beyond = await page.evaluate(() => {
    const width = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth <= width) return []
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > width + 0.5)
      .map(
        (element) =>
          `${element.tagName} ${element.getAttribute('class')} ${element.textContent?.slice(0, 40)}`,
      )
      .slice(-5)
  })
  expect(beyond, 'reaches beyond the right edge').toEqual([])
}

/** On a desk, on a phone, and as narrow as WCAG's reflow asks for. */
export async function expectGoodAtEveryWidth(page: Page) {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
    [320, 640],
  ] as const) {
    await page.setViewportSize({ width, height })
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  }
}
