import { dirname, join } from 'node:path'
import { idsIn } from '../scripts/ids-in.mjs'

/** Texts shorter than this together are loaded with the module that imports theirs. In characters. */
const WORTH_A_FILE = 1_000

const STATIC = /(?:from|^import)\s+'([^']+)'/gm
const TYPES = /import type\s[^']*'[^']+'/g
export const DYNAMIC = /\bimport\(\s*'([^']+)',?\s*\)/g

type Module = { imports: string[]; loads: string[]; ids: string[] }
type Graph = ReadonlyMap<string, Module>
type Ids = ReadonlySet<string>

/** The file that an import names, without its extension resolved; null outside of src. */
export function importedPath(from: string, specifier: string): string | null {
  if (specifier.startsWith('@/')) return specifier.slice(2)
  return specifier.startsWith('.') ? join(dirname(from), specifier) : null
}

/**
 * Which texts are loaded when: those of the entry and of its imports at once, others together with the module
 * that is imported on demand, for it and its own imports. A text that is certainly loaded before is not loaded
 * again.
 *
 * @param sources the code of each module by its path in src
 * @param texts the texts of the reference language by id
 * @param entry the module that starts the app
 * @returns the ids by module that is imported on demand, and those of the entry
 */
export function textParts(
  sources: ReadonlyMap<string, string>,
  texts: Readonly<Record<string, string>>,
  entry: string,
): Map<string, string[]> {
  const graph = graphOf(sources, Object.keys(texts))
  const size = (ids: readonly string[]) =>
    ids.reduce((sum, id) => sum + id.length + (texts[id]?.length ?? 0), 0)
  const all = split(graph, entry, new Set())
  const small = [...all].filter(([path, ids]) => path !== entry && size(ids) < WORTH_A_FILE)
  return split(graph, entry, new Set(small.map(([path]) => path)))
}

function graphOf(sources: ReadonlyMap<string, string>, ids: readonly string[]): Graph {
  const targets = (from: string, code: string, pattern: RegExp) =>
    [...code.matchAll(pattern)].flatMap(([, specifier = '']) => {
      const path = importedPath(from, specifier)
      const file = path && [`${path}.ts`, `${path}.tsx`].find((name) => sources.has(name))
      return file ? [file] : []
    })
  return new Map(
    [...sources].map(([path, code]) => [
      path,
      {
        imports: targets(path, code.replace(TYPES, ''), STATIC),
        loads: targets(path, code, DYNAMIC),
        ids: idsIn(code, ids),
      },
    ]),
  )
}

/** @param joined modules whose texts are loaded with those that import them */
function split(graph: Graph, entry: string, joined: Ids): Map<string, string[]> {
  const moduleAt = (path: string) => graph.get(path) as Module
  const roots = [
    ...new Set(
      [entry, ...[...graph.values()].flatMap(({ loads }) => loads)].filter((path) => !joined.has(path)),
    ),
  ]
  /** A root with everything that it imports. */
  const modules = new Map(roots.map((root) => [root, closure(root)]))
  function closure(root: string): Module[] {
    const seen = new Set<string>()
    const visit = (path: string) => {
      if (seen.has(path)) return
      seen.add(path)
      const { imports, loads } = moduleAt(path)
      for (const next of [...imports, ...loads.filter((one) => joined.has(one))]) visit(next)
    }
    visit(root)
    return [...seen].map(moduleAt)
  }
  const shown = new Map(roots.map((root) => [root, new Set(modules.get(root)?.flatMap(({ ids }) => ids))]))
  const loadedBefore = before(roots, entry, modules, shown)
  return new Map(
    roots.map((root) => [
      root,
      [...(shown.get(root) ?? [])].filter((id) => !loadedBefore.get(root)?.has(id)).sort(),
    ]),
  )
}

/** The texts that are loaded before each root, whoever imports it. */
function before(
  roots: readonly string[],
  entry: string,
  modules: ReadonlyMap<string, readonly Module[]>,
  shown: ReadonlyMap<string, Ids>,
): Map<string, Ids> {
  const importers = new Map(
    roots.map((root) => [
      root,
      roots.filter((other) => modules.get(other)?.some(({ loads }) => loads.includes(root))),
    ]),
  )
  const everything = new Set([...shown.values()].flatMap((ids) => [...ids]))
  const known = new Map<string, Ids>(roots.map((root) => [root, root === entry ? new Set() : everything]))
  for (let changed = true; changed; ) {
    changed = false
    for (const root of roots) {
      if (root === entry) continue
      const from = importers.get(root) ?? []
      const common = [...everything].filter((id) =>
        from.every((one) => known.get(one)?.has(id) || shown.get(one)?.has(id)),
      )
      if (common.length === known.get(root)?.size) continue
      known.set(root, new Set(common))
      changed = true
    }
  }
  return known
}
