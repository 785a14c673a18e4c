import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

/**
 * Prefixes of the ids of each part; other ids belong to `house`. `scripts/check-catalogues.mjs` checks their
 * use.
 */
const PARTS = Object.entries(
  JSON.parse(readFileSync(new URL('../src/locales/parts.json', import.meta.url), 'utf8')) as Record<
    string,
    string[]
  >,
)

const PART = /\?(\w+)\?lingui$/
const COMPILED = /JSON\.parse\(("(?:[^"\\]|\\.)*")\)/

const partOf = (id: string) =>
  PARTS.find(([, starts]) => starts.some((start) => id.startsWith(start)))?.[0] ?? 'house'

/**
 * Splits catalogues: `de.json?door?lingui` contains the texts before the login. Runs after the plugin that
 * compiles the whole.
 */
export function catalogueParts(): Plugin {
  return {
    name: 'suncellar:catalogue-parts',
    transform: {
      filter: { id: PART },
      handler(code, id) {
        const literal = code.match(COMPILED)?.[1]
        if (!literal)
          return this.error('catalogues are no longer compiled to a JSON text: revisit the plugin')
        const wanted = id.match(PART)?.[1]
        const messages = Object.entries(JSON.parse(JSON.parse(literal) as string) as object)
        const part = Object.fromEntries(messages.filter(([text]) => partOf(text) === wanted))
        const json = JSON.stringify(JSON.stringify(part))
        return { code: `export const messages = JSON.parse(${json})`, map: null }
      },
    },
  }
}
