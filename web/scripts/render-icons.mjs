// Renders public/icon.svg into the PNG icons for phones. Run it (npm run icons) after changing the logo.
// Needs a Chromium: CHROMIUM=/path/to/chromium npm run icons
import { readFile } from 'node:fs/promises'
import { chromium } from '@playwright/test'

const root = new URL('..', import.meta.url)
const svg = await readFile(new URL('public/icon.svg', root), 'utf8')
/** Launchers crop maskable icons to any shape, so the background fills the square without round corners. */
const maskable = svg.replace('rx="15"', 'rx="0"')

const icons = [
  { name: 'icon-192.png', size: 192, source: svg },
  { name: 'icon-512.png', size: 512, source: svg },
  { name: 'icon-maskable-512.png', size: 512, source: maskable },
]

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium' })
for (const { name, size, source } of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  await page.setContent(`<style>*{margin:0}svg{display:block;width:${size}px}</style>${source}`)
  await page.screenshot({ path: new URL(`public/${name}`, root).pathname, omitBackground: true })
  await page.close()
}
await browser.close()
