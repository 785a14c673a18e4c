/** The big chart, whose canvas has no elements to query. */
import { readFile } from 'node:fs/promises'
import { expect, type Locator, type Page } from '@playwright/test'
import { type Account, PASSWORD } from './server.ts'
import { button } from './steps.ts'
import { text } from './texts.ts'

/** A demo owner with one system. */
export const ONE: Account = { email: 'owner@example.com', password: PASSWORD, role: 'user' }
export const HOUR = 3_600

export const charts = (page: Page) => page.getByRole('slider')

export const chip = (page: Page, id: Parameters<typeof text>[0]) =>
  page.getByRole('group', { name: text('chart.series') }).getByRole('button', { name: text(id) })

/** The zoom in the address in seconds; null is everything. */
export function zoomOf(page: Page): [number, number] | null {
  const zoom = new URL(page.url()).searchParams.get('zoom')
  const [from = 0, to = 0] = (zoom ?? '').split('_').map(Number)
  return zoom === null ? null : [from, to]
}

/** Acts, and waits until the zoom has changed. */
export async function zoomAfter(page: Page, act: () => Promise<unknown>): Promise<[number, number] | null> {
  const before = String(zoomOf(page))
  await act()
  await expect.poll(() => String(zoomOf(page))).not.toBe(before)
  return zoomOf(page)
}

type Recorded = { drawnTexts: string[] }

/** Records every text drawn on a canvas, such as axis labels. Call it before the page is opened. */
export const recordTexts = (page: Page) =>
  page.addInitScript(() => {
    const texts: string[] = []
    Object.assign(globalThis, { drawnTexts: texts })
    const { fillText } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.fillText = function (written, ...rest) {
      texts.push(written)
      fillText.call(this, written, ...rest)
    }
  })

export const drawnTexts = (page: Page) =>
  page.evaluate(() => [...new Set((globalThis as unknown as Recorded).drawnTexts)])

/** The cells of a table over all its pages; the first column is the time. */
export async function readTable(panel: Page | Locator): Promise<string[][]> {
  await panel.getByRole('table').waitFor()
  const rows: string[][] = []
  const forth = button(panel, text('pages.forth'))
  const several = (await forth.count()) > 0
  for (;;) {
    const page = await panel.getByRole('table').locator('tbody tr').all()
    rows.push(...(await Promise.all(page.map((row) => row.locator('th, td').allTextContents()))))
    if (!several || (await forth.isDisabled())) return rows
    await forth.click()
  }
}

/** Parses a cell such as "1.874,5"; a dash is null. */
export const numberOf = (cell: string) =>
  cell === '–' ? null : Number(cell.replaceAll('.', '').replace(',', '.'))

/** Clicks a download button. */
export async function fileOf(page: Page, name: 'CSV' | 'PNG'): Promise<{ name: string; content: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()])
  return { name: download.suggestedFilename(), content: await readFile(await download.path()) }
}

/** Header and rows of a German CSV without quoted cells. */
export function readCsv(content: Buffer): { header: string[]; rows: string[][] } {
  const text = content.toString('utf8')
  expect(text).toMatch(/^\ufeff/)
  const [header = '', ...rows] = text.slice(1).trimEnd().split('\r\n')
  return { header: header.split(';'), rows: rows.map((row) => row.split(';')) }
}

export const csvNumber = (cell: string) => (cell === '' ? null : Number(cell.replace(',', '.')))

/** The size of a PNG, and its number of colours. */
export const inspectPicture = (page: Page, picture: Buffer) =>
  page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const { width, height } = image
    const brush = new OffscreenCanvas(width, height).getContext('2d')
    brush?.drawImage(image, 0, 0)
    const pixels = brush?.getImageData(0, 0, width, height).data.buffer
    return { width, height, colours: new Set(new Uint32Array(pixels ?? new ArrayBuffer(0))).size }
  }, picture.toString('base64'))
