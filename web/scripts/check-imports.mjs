// Imports point one way: app → features → components → lib; features never import each other.
import { dirname, join, relative } from 'node:path'
import { report, SRC, sourceFiles } from './source-files.mjs'

const MAY_IMPORT = {
  app: ['app', 'features', 'components', 'lib', 'locales', 'styles'],
  features: ['features', 'components', 'lib', 'locales'],
  components: ['components', 'lib'],
  lib: ['lib', 'locales'],
}
const IMPORT = /(?:from\s+|import\s*\(\s*|import\s+)'([^']+)'/g

/** A path inside src, or null for packages and files outside of src. */
function target(from, specifier) {
  if (specifier.startsWith('@/')) return specifier.slice(2)
  if (!specifier.startsWith('.')) return null
  const path = relative(SRC, join(SRC, dirname(from), specifier))
  return path.startsWith('..') ? null : path
}

function problem(from, to) {
  const [layer, feature] = from.split('/')
  const [toLayer, toFeature] = to.split('/')
  const allowed = MAY_IMPORT[layer]
  if (!allowed) return null // main.tsx may import everything
  if (!allowed.includes(toLayer)) return `${from}: ${layer} must not import ${toLayer} (${to})`
  if (layer === 'features' && toLayer === 'features' && feature !== toFeature)
    return `${from}: a feature must not import another one (${to})`
  return null
}

const files = await sourceFiles()
const problems = files.flatMap(({ path, text }) =>
  [...text.matchAll(IMPORT)]
    .map(([, specifier]) => target(path, specifier))
    .filter((to) => to !== null)
    .map((to) => problem(path, to))
    .filter((found) => found !== null),
)
report(problems, `imports: ${files.length} files point the right way`)
