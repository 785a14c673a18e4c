import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import type { Plugin } from 'vite'
import { DYNAMIC, importedPath, textParts } from './text-parts.ts'

const SRC = new URL('../src', import.meta.url).pathname
const ENTRY = 'main'
const LANGUAGES = ['de', 'en', 'pl', 'fr', 'hr']
const LOADER = 'lib/i18n/i18n'

const INDEX = 'virtual:texts'
/** `virtual:texts/de` has the texts that are loaded at once, `virtual:texts/de/app/pages/plan` others. */
const TEXTS = /^\0virtual:texts(?:\/(\w\w)(?:\/(.+))?)?$/

type Texts = Record<string, string>
/** The module's path has no extension, as in imports. */
type Part = { path: string; ids: string[] }

const catalogue = async (language: string) =>
  JSON.parse(await readFile(join(SRC, `locales/${language}.json`), 'utf8')) as Texts

/**
 * Compiles the catalogues, and loads each text together with the code that shows it: `import()` of a module
 * also loads the texts of this module and its imports (`text-parts.ts`). While developing and in tests all
 * texts are loaded at once.
 */
export function texts(): Plugin {
  let splits = false
  let parts: Part[] = []
  return {
    name: 'suncellar:texts',
    enforce: 'pre',
    configResolved: ({ command }) => {
      splits = command === 'build'
    },
    async buildStart() {
      const german = await catalogue('de')
      parts = splits ? await readParts(german) : [{ path: ENTRY, ids: Object.keys(german) }]
    },
    resolveId: { filter: { id: /^virtual:texts/ }, handler: (id) => `\0${id}` },
    load: {
      filter: { id: TEXTS },
      async handler(id) {
        const [, language, path = ENTRY] = id.match(TEXTS) ?? []
        if (!language) return indexModule()
        this.addWatchFile(join(SRC, `locales/${language}.json`))
        const ids = parts.find((part) => part.path === path)?.ids ?? []
        const messages = messagesModule(await catalogue(language), ids)
        return path === ENTRY ? `${messages};${partsOf(language, parts)}` : messages
      },
    },
    transform: {
      filter: { id: /\/src\/[^?]+\.tsx?$/, code: /\bimport\(/ },
      handler(code, id) {
        const from = relative(SRC, id)
        let wrapped = false
        const withTexts = code.replace(DYNAMIC, (loading, specifier: string) => {
          const path = importedPath(from, specifier)
          const part = parts.findIndex((one) => one.path === path)
          if (part < 1) return loading
          wrapped = true
          return `withTexts(${part}, ${loading})`
        })
        // On the first line, to keep line numbers.
        return wrapped ? { code: `import { withTexts } from '@/${LOADER}';${withTexts}`, map: null } : null
      },
    },
  }
}

/** The entry first. */
async function readParts(german: Texts): Promise<Part[]> {
  const names = await readdir(SRC, { recursive: true })
  const paths = names.filter((name) => /\.tsx?$/.test(name) && !/\.test\.|\.d\.ts$/.test(name))
  const sources = await Promise.all(
    paths.map(async (path) => [path, await readFile(join(SRC, path), 'utf8')] as const),
  )
  return [...textParts(new Map(sources), german, `${ENTRY}.tsx`)]
    .map(([file, ids]) => ({ path: file.replace(/\.tsx?$/, ''), ids }))
    .filter(({ path, ids }) => path === ENTRY || ids.length > 0)
}

/** The languages, each loaded on demand. */
const indexModule = () =>
  `export const languages = {${LANGUAGES.map((one) => `${one}: () => import('${INDEX}/${one}')`).join()}}`

/** A text that cannot be compiled fails the build. */
function messagesModule(all: Texts, ids: readonly string[]): string {
  const compiled = Object.fromEntries(ids.map((id) => [id, compileMessageOrThrow(all[id] ?? '')]))
  return `export const messages = JSON.parse(${JSON.stringify(JSON.stringify(compiled))})`
}

/** By number, because paths would be longer. */
function partsOf(language: string, parts: readonly Part[]): string {
  const loaders = parts.map(({ path }) =>
    path === ENTRY ? '' : `() => import('${INDEX}/${language}/${path}')`,
  )
  return `export const parts = [${loaders.join()}]`
}
