/** Zoom and pan of a chart with mouse, buttons and fingers. */
import type { Page } from '@playwright/test'
import { charts, drawnTexts, HOUR, ONE, recordTexts, zoomAfter, zoomOf } from './harness/chart.ts'
import { open } from './harness/screens.ts'
import { BOTH_CHANGES, daysAgo } from './harness/site-days.ts'
import { beLoggedIn, button } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

// One server with such a long history is enough.
test.describe.configure({ mode: 'default' })
test.use({ history: BOTH_CHANGES })

const DAY = `/charts?date=${daysAgo(3)}`

test.beforeEach(({ page, server }) => beLoggedIn(page, server, ONE))

/**
 * The visible range starts earlier by this many seconds, within a few pixels. The address follows a drag with
 * a delay.
 */
const expectEarlier = (page: Page, from: number, seconds: number) =>
  expect.poll(() => from - (zoomOf(page)?.[0] ?? from)).toBeGreaterThan(0.9 * seconds)

test('the mouse zooms, pans and resets the zoom', async ({ page }) => {
  await open(page, DAY)
  const box = await charts(page).boundingBox()
  if (!box) throw new Error('the chart is not on screen')
  const at = (part: number) => [box.x + box.width * part, box.y + box.height / 2] as const
  const drag = async (from: number, to: number) => {
    await page.mouse.move(...at(from))
    await page.mouse.down()
    await page.mouse.move(...at((from + to) / 2), { steps: 3 })
    await page.mouse.move(...at(to), { steps: 3 })
    await page.mouse.up()
  }
  const [from = 0, to = 0] = (await zoomAfter(page, () => drag(0.4, 0.6))) ?? []
  expect((to - from) / HOUR).toBeCloseTo(5.2, 0)

  await page.keyboard.down('Shift')
  await drag(0.4, 0.6)
  await page.keyboard.up('Shift')
  await expectEarlier(page, from, 0.2 * (to - from))
  const [earlier = 0, stillFor = 0] = zoomOf(page) ?? []
  expect(stillFor - earlier).toBeCloseTo(to - from, -1)

  await page.mouse.move(...at(0.5))
  await page.keyboard.down('Control')
  const [closer = 0, closerTo = 0] = (await zoomAfter(page, () => page.mouse.wheel(0, -300))) ?? []
  await page.keyboard.up('Control')
  expect(closerTo - closer).toBeLessThan(to - from)

  expect(await zoomAfter(page, () => page.mouse.dblclick(...at(0.5)))).toBeNull()
})

test('buttons zoom, pan and reset the zoom', async ({ page }) => {
  await open(page, DAY)
  await expect(button(page, text('chart.whole'))).toBeDisabled()
  const [from = 0, to = 0] = (await zoomAfter(page, () => button(page, text('chart.zoom_in')).click())) ?? []
  expect(to - from).toBe(12 * HOUR)
  expect(await zoomAfter(page, () => button(page, text('chart.earlier')).click())).toEqual([
    from - 6 * HOUR,
    to - 6 * HOUR,
  ])
  expect(await zoomAfter(page, () => button(page, text('chart.later')).click())).toEqual([from, to])
  expect(await zoomAfter(page, () => button(page, text('chart.zoom_out')).click())).toBeNull()
})

test('the axis shows the visible range', async ({ page }) => {
  await recordTexts(page)
  await open(page, DAY)
  await expect.poll(() => drawnTexts(page)).toEqual(expect.arrayContaining(['00:00', '04:00', '22:00']))
  const [from] = (await zoomAfter(page, () => button(page, text('chart.zoom_in')).click())) ?? [0]
  await open(page, `${DAY}&zoom=${from + 4 * HOUR}_${from + 6 * HOUR}`)
  await expect.poll(() => drawnTexts(page)).toEqual(expect.arrayContaining(['10:30', '11:30']))
  expect(await drawnTexts(page)).not.toContain('04:00')
})

test('two fingers zoom, and one pans', async ({ page, otherBrowser, server }) => {
  void page
  const phone = await otherBrowser()
  await phone.setViewportSize({ width: 390, height: 844 })
  await phone.goto(`${server.url}/healthz`)
  await beLoggedIn(phone, server, ONE)
  await open(phone, `${server.url}${DAY}`)
  await charts(phone).scrollIntoViewIfNeeded()
  const box = await charts(phone).boundingBox()
  if (!box) throw new Error('the chart is not on screen')
  const devtools = await phone.context().newCDPSession(phone)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...parts: number[]) =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: parts.map((part, id) => ({
        x: box.x + box.width * part,
        y: box.y + box.height / 2,
        id,
      })),
    })
  const pinch = async () => {
    await touch('touchStart', 0.4, 0.6)
    for (const by of [0.03, 0.06, 0.1]) await touch('touchMove', 0.4 - by, 0.6 + by)
    await touch('touchEnd')
  }
  const [from = 0, to = 0] = (await zoomAfter(phone, pinch)) ?? []
  expect((to - from) / HOUR).toBeCloseTo(12, 0)
  await touch('touchStart', 0.4)
  for (const by of [0.05, 0.1, 0.2]) await touch('touchMove', 0.4 + by)
  await touch('touchEnd')
  await expectEarlier(phone, from, 0.2 * (to - from))
  const [earlier = 0, until = 0] = zoomOf(phone) ?? []
  expect(until - earlier).toBeCloseTo(to - from, -2)
})
