import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { OutputBundle, OutputChunk } from 'rolldown'
import type { Plugin } from 'vite'

const KIB = 1_024
/** Loaded before the app. */
const BOOT = readFileSync(new URL('../public/boot.js', import.meta.url))
const LANGUAGES = ['de', 'en', 'pl', 'fr', 'hr']

/**
 * The script that each screen loads beside the entry until it is at rest on a desktop, with its limit. Texts
 * come with it (`texts.ts`).
 */
const SCREENS = [
  {
    name: 'login',
    most: 145,
    modules: ['app/auth-layout/auth-layout', 'features/auth/login-page'],
  },
  {
    name: 'dashboard',
    most: 195,
    modules: [
      'app/main-layout/main-layout',
      'app/pages/dashboard',
      'features/money/money-card',
      'features/charts/big-chart',
    ],
  },
]

/** Fails the build if a screen exceeds its limit. `make bench` measures the same in a browser. */
export function scriptBudget(): Plugin {
  return {
    name: 'suncellar:script-budget',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const { name, most, modules } of SCREENS) {
          const sizes = LANGUAGES.map((language) => scriptBytes(bundle, modules, language))
          const kib = Math.max(...sizes) / KIB
          if (kib > most) this.error(`${name} loads ${kib.toFixed(1)} KiB of script, more than ${most}`)
          this.info(`${name} loads ${kib.toFixed(1)} KiB of script, ${most} at most`)
        }
      },
    },
  }
}

/**
 * The size of the entry and these modules with their imports and texts, compressed as the server sends it.
 */
function scriptBytes(bundle: OutputBundle, modules: string[], language: string): number {
  const chunks = Object.values(bundle).filter((file): file is OutputChunk => file.type === 'chunk')
  const loaded = new Set<OutputChunk>()
  const load = (chunk: OutputChunk | undefined) => {
    if (!chunk || loaded.has(chunk)) return
    loaded.add(chunk)
    for (const name of chunk.imports) load(chunks.find(({ fileName }) => fileName === name))
  }
  const chunkOf = (module: string) =>
    chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)))
  load(chunks.find(({ isEntry }) => isEntry))
  load(chunkOf(`:texts/${language}`))
  for (const module of modules) {
    const chunk = chunkOf(`/src/${module}.tsx`)
    if (!chunk) throw new Error(`no chunk holds ${module}: what a screen loads has changed`)
    load(chunk)
    load(chunkOf(`:texts/${language}/${module}`))
  }
  return [BOOT, ...[...loaded].map(({ code }) => code)].reduce(
    (sum, code) => sum + gzipSync(code, { level: 9 }).length,
    0,
  )
}
