/** Exports of a chart, and its days of 23 and 25 hours. */
import {
  charts,
  csvNumber,
  drawnTexts,
  fileOf,
  HOUR,
  inspectPicture,
  numberOf,
  ONE,
  readCsv,
  readTable,
  recordTexts,
  zoomAfter,
} from './harness/chart.ts'
import { open } from './harness/screens.ts'
import { AUTUMN, BOTH_CHANGES, daysAgo, SPRING } from './harness/site-days.ts'
import { beLoggedIn, button } from './harness/steps.ts'
import { expect, test } from './harness/test.ts'
import { text } from './harness/texts.ts'

// One server with such a long history is enough.
test.describe.configure({ mode: 'default' })
test.use({ history: BOTH_CHANGES })

const PAST = daysAgo(3)
const EVERYTHING_MEASURED = 'm6,m8,m1,m0,m3,m7,m4,m2,m2N,m5,m5N'

test.beforeEach(({ page, server }) => beLoggedIn(page, server, ONE))

for (const [range, resolution] of [
  ['Day', 'quarter'],
  ['Month', 'day'],
] as const)
  test(`the CSV has the numbers of the table, a ${range} in steps of a ${resolution}`, async ({ page }) => {
    await open(
      page,
      `/charts?date=${AUTUMN}&range=${range}&resolution=${resolution}&series=${EVERYTHING_MEASURED}&view=table`,
    )
    const table = await readTable(page)
    const { name, content } = await fileOf(page, 'CSV')
    expect(name).toBe(`suncellar_SC24A0001_${range.toLowerCase()}_${AUTUMN}.csv`)
    const { rows } = readCsv(content)
    const measured = rows.filter(([, , ...cells]) => cells.some((cell) => cell !== ''))
    expect(measured.length).toBeGreaterThan(24)
    expect(table.map(([, ...cells]) => cells.map(numberOf))).toEqual(
      measured.map(([, , ...cells]) => cells.map(csvNumber)),
    )
  })

test('the PNG is a picture of the chart', async ({ page }) => {
  await open(page, `/charts?date=${PAST}`)
  const { name, content } = await fileOf(page, 'PNG')
  expect(name).toBe(`suncellar_SC24A0001_day_${PAST}.png`)
  expect(content.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  const { width, height, colours } = await inspectPicture(page, content)
  expect(width).toBeGreaterThan(1_000)
  expect(height).toBeGreaterThan(420)
  // Lines, gradients and letters; an empty picture has a handful of colours.
  expect(colours).toBeGreaterThan(100)
  await button(page, text('chart.as_table')).click()
  await expect(button(page, 'PNG')).toBeDisabled()
})

for (const [day, hours] of [
  [SPRING, 23],
  [AUTUMN, 25],
] as const)
  test(`the day of ${hours} hours has ${hours} on its axis and ${hours * 4} quarters in its table`, async ({
    page,
  }) => {
    await recordTexts(page)
    const midnight = Date.parse(`${day}T00:00:00+0${hours === 23 ? 1 : 2}:00`) / 1_000
    await open(page, `/charts?date=${day}&resolution=hour`)
    await expect(charts(page)).toHaveAttribute('aria-valuemax', String(hours - 1))
    expect(await zoomAfter(page, () => button(page, text('chart.zoom_in')).click())).toEqual([
      midnight + (hours / 4) * HOUR,
      midnight + (hours / 4) * 3 * HOUR,
    ])
    // Zoomed in until every hour has a label.
    await open(page, `/charts?date=${day}&resolution=hour&zoom=${midnight}_${midnight + 6 * HOUR}`)
    const fullHours = async () => (await drawnTexts(page)).filter((label) => /^0[0-4]:00/.test(label))
    const early = hours === 23 ? ['03:00', '04:00'] : ['02:00 MESZ', '02:00 MEZ', '03:00', '04:00']
    await expect.poll(fullHours).toEqual(['00:00', '01:00', ...early])

    await open(page, `/charts?date=${day}&view=table`)
    const times = (await readTable(page)).map(([time]) => time)
    expect(times).toHaveLength(hours * 4)
    expect(new Set(times).size).toBe(hours * 4)
    const twice = times.filter((time) => time?.startsWith('02:'))
    expect(twice).toHaveLength(hours === 23 ? 0 : 8)
    if (hours === 25) expect(twice.filter((time) => time?.endsWith(' MESZ'))).toHaveLength(4)
  })
