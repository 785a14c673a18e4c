import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Plugin } from 'vite'

type Shape = [tag: string, attributes: Record<string, string>]

const FOLDER = join(createRequire(import.meta.url).resolve('lucide-react/package.json'), '../dist/esm')
const DRAWING = new URL('../src/components/ui/drawn-icon.ts', import.meta.url).pathname

const IMPORT = /import \{([^}]+)\} from ['"]lucide-react['"]/g
const ICON = /lucide-react[\\/]dist[\\/]esm[\\/]icons[\\/][\w-]+\.mjs$/

/**
 * Reduces icons to their shapes, drawn by `components/ui/drawn-icon.ts`: the library's component and metadata
 * would be larger than all icons of the dashboard. Each is imported from its own file, so that bundler and
 * tests do not load two thousand others.
 */
export function leanIcons(): Plugin {
  const files = filesByName(readFileSync(join(FOLDER, 'lucide-react.mjs'), 'utf8'))
  return {
    name: 'suncellar:lean-icons',
    enforce: 'pre',
    // Pre-bundling would create one file with every icon.
    config: () => ({ optimizeDeps: { exclude: ['lucide-react'] } }),
    transform: {
      filter: { code: /lucide-react/ },
      async handler(code, id) {
        if (ICON.test(id)) return { code: iconModule(await shapesIn(id)), map: null }
        if (!/\.tsx?(\?|$)/.test(id)) return null
        return { code: code.replace(IMPORT, (_, names: string) => importEach(names, files)), map: null }
      },
    },
  }
}

/** The file of each exported name: `Trash2` is in `trash-2.mjs`. */
function filesByName(index: string): Map<string, string> {
  const exported = index.matchAll(/^export \{(.+)\} from '(\.\/icons\/[\w-]+\.mjs)';$/gm)
  return new Map(
    [...exported].flatMap(([, names = '', file = '']) =>
      [...names.matchAll(/default as (\w+)/g)].map(([, name = '']) => [name, file] as const),
    ),
  )
}

/** On one line like the original imports, to keep line numbers. */
export function importEach(names: string, files: Map<string, string>): string {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
    .map((name) => {
      if (name.startsWith('type ')) return `import type { ${name.slice(5)} } from 'lucide-react'`
      const file = files.get(name)
      if (!file) throw new Error(`lucide-react has no icon ${name}`)
      return `import ${name} from '${join(FOLDER, file)}'`
    })
    .join(';')
}

async function shapesIn(id: string): Promise<Shape[]> {
  const { __iconData } = (await import(id)) as { __iconData: { node: Shape[] } }
  return __iconData.node.map(([tag, { key: _, ...attributes }]) => [tag, attributes])
}

export const iconModule = (shapes: Shape[]) =>
  `import { drawnIcon } from '${DRAWING}';export default /* @__PURE__ */ drawnIcon(${JSON.stringify(shapes)})`
