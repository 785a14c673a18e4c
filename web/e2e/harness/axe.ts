import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const DESK = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }
/** As narrow as WCAG's reflow asks for. */
export const NARROW = { width: 320, height: 640 }

type Axe = { run: (part: string, options: RunOptions) => Promise<AxeResults> }

/** The rules that look at colours: all that another theme can change. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Which rules, and of which part of the page; all of them, and the whole page, where nothing is said. */
type Extent = { rules?: string[]; part?: string }

/** Waits for what fades or moves in: meanwhile its colours are those of no theme. What moves for ever is not waited for. */
async function motionEnded(page: Page) {
  await page.evaluate(async () => {
    const ends = (motion: Animation) => Number.isFinite(motion.effect?.getComputedTiming().endTime)
    const moving = document.getAnimations().filter(ends)
    await Promise.allSettled(moving.map((motion) => motion.finished))
  })
}

/** No rule of axe is broken on what is on the page now; if one is, the message says where. */
export async function expectAccessible(page: Page, extent: Extent = {}) {
  let found = await violations(page, extent)
  // What began to fade while axe was looking is not there, or is at rest, when it looks again.
  if (found.length > 0) found = await violations(page, extent)
  expect(found).toEqual([])
}

async function violations(page: Page, { rules, part = 'html' }: Extent) {
  await motionEnded(page)
  // Evaluated by the debugger: a script element would be stopped by the CSP.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  const results = await page.evaluate(
    ([within, only]) =>
      (globalThis as unknown as { axe: Axe }).axe.run(within, {
        // Describing all that is right takes most of the time.
        resultTypes: ['violations'],
        ...(only && { runOnly: only }),
      }),
    [part, rules] as const,
  )
  return results.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('\n')}`,
  )
}

/** In both themes. That each is kept and applied is tested elsewhere. */
export async function expectAccessibleInBothThemes(page: Page, part?: string) {
  for (const theme of ['dark', 'light']) {
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme)
    await expectAccessible(page, theme === 'dark' ? { part } : { part, rules: COLOUR_RULES })
  }
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

/** Below `sm`, the first of the widths in our styles, every page has the same elements in the same colours. */
const isPhone = ({ width }: { width: number }) => width < 640

/**
 * In both themes at each of these sizes; of those with the layout of a phone, axe looks at the first. If only a part is new, such as
 * a menu over a page that was looked at before, the rest is looked at once.
 */
export async function expectGoodEverywhere(
  page: Page,
  sizes: { width: number; height: number }[],
  part?: string,
) {
  if (part) await expectAccessible(page)
  for (const size of sizes) {
    await page.setViewportSize(size)
    if (!isPhone(size) || size === sizes.find(isPhone)) await expectAccessibleInBothThemes(page, part)
    await expectNoSidewaysScroll(page)
  }
}
