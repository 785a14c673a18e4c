import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

/** Beginnings of the ids of each part; what is in none is in `house`. `scripts/check-catalogues.mjs` checks their use. */
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
 * A part of a catalogue: `de.json?door?lingui` has the texts that are shown before the login. Comes after the plugin that
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
