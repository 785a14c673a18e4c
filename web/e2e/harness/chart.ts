/** What tests see of the big chart: its canvas has no elements to look for. */
import { readFile } from 'node:fs/promises'
import { expect, type Locator, type Page } from '@playwright/test'
import { type Account, PASSWORD } from './server.ts'
import { button } from './steps.ts'
import { text } from './texts.ts'

/** An owner of the demo with one system. */
export const ONE: Account = { email: 'owner@example.com', password: PASSWORD, role: 'user' }
export const HOUR = 3_600

export const charts = (page: Page) => page.getByRole('slider')

export const chip = (page: Page, id: Parameters<typeof text>[0]) =>
  page.getByRole('group', { name: text('chart.series') }).getByRole('button', { name: text(id) })

/** From where to where the address says that the chart is zoomed, in seconds; null is everything. */
export function zoomOf(page: Page): [number, number] | null {
  const zoom = new URL(page.url()).searchParams.get('zoom')
  const [from = 0, to = 0] = (zoom ?? '').split('_').map(Number)
  return zoom === null ? null : [from, to]
}

/** Acts, and waits until the chart shows another stretch of time. */
export async function zoomAfter(page: Page, act: () => Promise<unknown>): Promise<[number, number] | null> {
  const before = String(zoomOf(page))
  await act()
  await expect.poll(() => String(zoomOf(page))).not.toBe(before)
  return zoomOf(page)
}

type Recorded = { drawnTexts: string[] }

/** Keeps every text that is drawn on a canvas, such as the labels of an axis. Before the page is opened. */
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

/** The cells of a table over all its pages, the first column being the time. */
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

/** "1.874,5" as the table writes it; a dash is nothing. */
export const numberOf = (cell: string) =>
  cell === '–' ? null : Number(cell.replaceAll('.', '').replace(',', '.'))

/** Presses a button that hands over a file. */
export async function fileOf(page: Page, name: 'CSV' | 'PNG'): Promise<{ name: string; content: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()])
  return { name: download.suggestedFilename(), content: await readFile(await download.path()) }
}

/** Header and rows of a CSV without quoted cells, as German spreadsheets read it. */
export function readCsv(content: Buffer): { header: string[]; rows: string[][] } {
  const text = content.toString('utf8')
  expect(text).toMatch(/^\ufeff/)
  const [header = '', ...rows] = text.slice(1).trimEnd().split('\r\n')
  return { header: header.split(';'), rows: rows.map((row) => row.split(';')) }
}

export const csvNumber = (cell: string) => (cell === '' ? null : Number(cell.replace(',', '.')))

/** Size of a PNG, and how many colours it has. */
export const lookAt = (page: Page, picture: Buffer) =>
  page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const { width, height } = image
    const brush = new OffscreenCanvas(width, height).getContext('2d')
    brush?.drawImage(image, 0, 0)
    const pixels = brush?.getImageData(0, 0, width, height).data.buffer
    return { width, height, colours: new Set(new Uint32Array(pixels ?? new ArrayBuffer(0))).size }
  }, picture.toString('base64'))
