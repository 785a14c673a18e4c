// Text and what surrounds it follow the reader's text size: sizes of text are steps of the scale in app.css,
// and lengths are in rem or steps of spacing. Lines and outlines may have pixels. No token is unused.
import { readFile } from 'node:fs/promises'
import { report, SRC, sourceFiles } from './source-files.mjs'

const STYLES = ['app', 'tokens', 'forced-colours', 'guide']
const styles = Object.fromEntries(
  await Promise.all(STYLES.map(async (name) => [name, await readFile(`${SRC}/styles/${name}.css`, 'utf8')])),
)
const files = (await sourceFiles()).filter(({ path }) => !path.includes('.test.'))

const SCALE = [...styles.app.matchAll(/--text-([\w-]+):/g)].map(([, step]) => step)

/** Classes such as `text-[13px]`, `h-[300px]` and `text-[0.8rem]`, and sizes that Tailwind has and we do not. */
const WRONG_CLASSES = [
  /(?<![\w-])(?!border|outline|stroke)[a-z-]+-\[[^\]\s]*\dpx[^\]\s]*\]/g,
  /(?<![\w-])text-\[[\d.]+(?:r?em)\]/g,
  /(?<![\w-])text-(?:base|9xl)(?![\w-])/g,
]
const wrongClasses = files.flatMap(({ path, text }) =>
  WRONG_CLASSES.flatMap((wrong) => text.match(wrong) ?? []).map(
    (name) => `${path}: ${name} does not follow the text size: use a step of the scale or of spacing`,
  ),
)

const wrongRules = Object.entries(styles).flatMap(([name, css]) =>
  (css.match(/font-size:\s*[\d.]+(?:px|rem|em)/g) ?? [])
    // The guides are pages of their own, without the app's styles.
    .filter((rule) => name !== 'guide' || rule.endsWith('px'))
    .map((rule) => `${name}.css: "${rule}" is not a step of the scale`),
)

const code = [...files.map(({ text }) => text), ...Object.values(styles)].join('\n')
const isUsed = (token) => {
  const utility = token.match(/^--(?:color|text|font)-(.+)/)?.[1]
  const inClass = utility && new RegExp(`(?<![\\w-])[\\w:!-]*-${utility}(?![\\w-])(?!:)`).test(code)
  return inClass || code.includes(`var(${token})`)
}
const tokens = new Set(
  ['app', 'tokens'].flatMap((name) => styles[name].match(/(?<=^\s*)--[\w-]+(?=:)/gm) ?? []),
)
const unused = [...tokens].filter((token) => !isUsed(token)).map((token) => `${token} is not used`)

report([...wrongClasses, ...wrongRules, ...unused], `sizes: ${SCALE.length} of text, ${tokens.size} tokens`)
