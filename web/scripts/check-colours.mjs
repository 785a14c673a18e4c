// Checks the contrast of the colours in tokens.css: text 4.5:1 and marks 3:1 on every surface. The colours of
// charts (four sources and the state of charge) must be at least 13 apart in OKLab, also with colour
// blindness.
import { readFile } from 'node:fs/promises'
import { report, SRC } from './source-files.mjs'

const SURFACES = ['bg', 'surface', 'surface-2']
const SOURCES = ['pv', 'grid', 'battery', 'home']
/** Colours that a chart draws side by side. */
const LINES = [...SOURCES, 'soc']
const TEXTS = [
  'text',
  'muted',
  'accent',
  'danger',
  'warn',
  'ok',
  ...SOURCES.map((source) => `${source}-text`),
]
const MARKS = [...LINES, 'line-strong', 'focus']
/** Text with its own background. */
const PAIRS = [
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
  ...['danger', 'warn', 'grid'].map((tone) => [
    tone === 'grid' ? 'grid-text' : tone,
    `${tone === 'grid' ? 'info' : tone}-bg`,
  ]),
]
const APART = 13

/** Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB. */
const VISION = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protan: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deutan: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritan: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
}

const linear = (channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4)
const rgb = (hex) => [1, 3, 5].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255))
const dot = (a, b) => a.reduce((sum, value, index) => sum + value * b[index], 0)
const clamp = (value) => Math.min(1, Math.max(0, value))

function contrast(a, b) {
  const [dark, light] = [a, b].map((hex) => dot(rgb(hex), [0.2126, 0.7152, 0.0722])).sort((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

const seenBy = (matrix, colour) => [0, 3, 6].map((row) => clamp(dot(matrix.slice(row, row + 3), colour)))

function oklab(colour) {
  const cones = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ].map((row) => Math.cbrt(dot(row, colour)))
  return [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
  ].map((row) => dot(row, cones))
}

const distance = (a, b) => 100 * Math.hypot(...a.map((value, index) => value - b[index]))

function colours(css, theme) {
  const block = css.slice(css.indexOf(`[data-theme="${theme}"]`)).split('}')[0]
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/gi)].map(([, name, hex]) => [name, hex]),
  )
}

function unreadable(theme, colour) {
  const demands = [
    ...TEXTS.flatMap((text) => SURFACES.map((surface) => [text, surface, 4.5])),
    ...MARKS.flatMap((mark) => SURFACES.map((surface) => [mark, surface, 3])),
    ...PAIRS.map(([text, ground]) => [text, ground, 4.5]),
  ]
  return demands
    .filter(([mark, ground, least]) => contrast(colour[mark], colour[ground]) < least)
    .map(([mark, ground, least]) => {
      const found = contrast(colour[mark], colour[ground]).toFixed(2)
      return `${theme}: ${mark} on ${ground} has ${found}:1, needs ${least}:1`
    })
}

function tooAlike(theme, colour) {
  const pairs = LINES.flatMap((a, index) => LINES.slice(index + 1).map((b) => [a, b]))
  return Object.entries(VISION).flatMap(([vision, matrix]) => {
    const look = (name) => oklab(seenBy(matrix, rgb(colour[name])))
    return pairs
      .filter(([a, b]) => distance(look(a), look(b)) < APART)
      .map(([a, b]) => `${theme}: ${a} and ${b} are too alike to ${vision} vision`)
  })
}

const css = await readFile(`${SRC}/styles/tokens.css`, 'utf8')
const problems = ['dark', 'light'].flatMap((theme) => {
  const colour = colours(css, theme)
  return [...unreadable(theme, colour), ...tooAlike(theme, colour)]
})
report(problems, 'colours: readable and apart in both themes')
