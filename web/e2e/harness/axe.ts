import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const DESK = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }
/** The width of WCAG's reflow criterion. */
export const NARROW = { width: 320, height: 640 }

type Axe = { run: (part: string, options: RunOptions) => Promise<AxeResults> }

/** Rules about colours, which depend on the theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** The rules and the part of the page; by default all rules and the whole page. */
type Extent = { rules?: string[]; part?: string }

/** Waits for finite animations, because colours are wrong during a fade. */
async function motionEnded(page: Page) {
  await page.evaluate(async () => {
    const ends = (motion: Animation) => Number.isFinite(motion.effect?.getComputedTiming().endTime)
    const moving = document.getAnimations().filter(ends)
    await Promise.allSettled(moving.map((motion) => motion.finished))
  })
}

/** Expects no violations on the current page; the message names their places. */
export async function expectAccessible(page: Page, extent: Extent = {}) {
  let found = await violations(page, extent)
  // Checks twice, because an element may have been fading in during the first check.
  if (found.length > 0) found = await violations(page, extent)
  expect(found).toEqual([])
}

async function violations(page: Page, { rules, part = 'html' }: Extent) {
  await motionEnded(page)
  // Evaluated by the debugger, because the CSP refuses a script element.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  const results = await page.evaluate(
    ([within, only]) =>
      (globalThis as unknown as { axe: Axe }).axe.run(within, {
        // Reporting passed rules takes most of the time.
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

/** Checks both themes. Other tests check that the theme is stored and applied. */
export async function expectAccessibleInBothThemes(page: Page, part?: string) {
  for (const theme of ['dark', 'light']) {
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme)
    await expectAccessible(page, theme === 'dark' ? { part } : { part, rules: COLOUR_RULES })
  }
}

/** Nothing overflows the right edge. */
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

/** Below `sm`, the first breakpoint, pages have the same elements in the same colours. */
const isPhone = ({ width }: { width: number }) => width < 640

/**
 * Both themes at each size; among phone layouts axe checks only the first. If only a part is new, such as a
 * menu over a checked page, axe checks only that part.
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
