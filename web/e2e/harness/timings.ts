/** Performance measurements of the browser. */
import type { Page } from '@playwright/test'

/** Without activity for this long a page is at rest. New readings come every few seconds. */
const QUIET = 1_000

type Seen = { lastLongTask: number; layoutShift: number }
type Draws = { drawTimes: number[] }

/** Measures the next page from its start. */
export const observe = (page: Page) =>
  page.addInitScript(() => {
    const seen: Seen = { lastLongTask: 0, layoutShift: 0 }
    Object.assign(globalThis, { seen })
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        seen.lastLongTask = Math.max(seen.lastLongTask, startTime + duration)
    }).observe({ type: 'longtask', buffered: true })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        seen.layoutShift += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })

type Shifts = { score: number; moved: string[] }

/** Measures the cumulative layout shift of the next pages, without user input. */
export const observeShifts = (page: Page) =>
  page.addInitScript(() => {
    type Shift = PerformanceEntry & { value: number; sources: { node: Node | null }[] }
    const shifts: Shifts = { score: 0, moved: [] }
    Object.assign(globalThis, { shifts })
    const nameOf = ({ node }: Shift['sources'][number]) =>
      `${node instanceof Element ? node.tagName : node?.nodeName} "${node?.textContent?.slice(0, 30)}"`
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as Shift[]) {
        shifts.score += value
        shifts.moved.push(`${value.toFixed(3)} by ${sources.map(nameOf).join(' and ')}`)
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })

export const shiftsOf = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { shifts: Shifts }).shifts)

/** Waits until the page is at rest and returns its timings, in milliseconds since navigation. */
export async function isQuiet(page: Page) {
  await page.waitForFunction(
    (quiet) => performance.now() - (globalThis as unknown as { seen: Seen }).seen.lastLongTask > quiet,
    QUIET,
  )
  return page.evaluate(() => {
    const { lastLongTask, layoutShift } = (globalThis as unknown as { seen: Seen }).seen
    const firstPaint = performance.getEntriesByName('first-paint')[0]?.startTime ?? Number.NaN
    return { firstPaint, lastLongTask, layoutShift }
  })
}

/**
 * Measures every chart from its creation until its pixels exist: reading one pixel flushes the canvas. Call
 * it before the page is opened.
 */
export const recordDraws = (page: Page) =>
  page.addInitScript(() => {
    const drawTimes: number[] = []
    Object.assign(globalThis, { drawTimes })
    const { measure } = performance
    performance.measure = (name: string, options) => {
      if (name === 'chart' && typeof options === 'object') {
        document.querySelector('canvas')?.getContext('2d')?.getImageData(0, 0, 1, 1)
        drawTimes.push(performance.now() - Number(options.start))
      }
      return measure.call(performance, name, options)
    }
  })

export const drawTimes = (page: Page) => page.evaluate(() => (globalThis as unknown as Draws).drawTimes)
