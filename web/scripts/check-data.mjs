// What the server was asked is known in one module per noun: its key, its query, what changes it, and what each
// change makes outdated. Pages and cards only use it.
import { report, sourceFiles } from './source-files.mjs'

const DATA = /^lib\/data\/|\/data\.ts$|^lib\/(?:live\/live-query|towns)\.ts$/
const INVALIDATION = 'lib/query-client.ts'

const files = (await sourceFiles()).filter(({ path }) => !/\.test\.|testing/.test(path))
const keys = files.flatMap(({ path, text }) =>
  [...text.matchAll(/queryKey: \[\s*'([\w-]+)'/g)].map(([, kind]) => ({ path, kind })),
)

const misplaced = keys
  .filter(({ path }) => !DATA.test(path))
  .map(({ path, kind }) => `${path}: the key "${kind}" belongs into a data module`)
const repeated = keys
  .filter(({ kind }, place) => keys.findIndex((other) => other.kind === kind) !== place)
  .map(({ path, kind }) => `${path}: the key "${kind}" is written elsewhere, too`)
const direct = files
  .filter(({ path, text }) => path !== INVALIDATION && /\.invalidateQueries\(\{ queryKey/.test(text))
  .map(({ path }) => `${path}: use "invalidate" of ${INVALIDATION}`)

report([...misplaced, ...repeated, ...direct], `data: ${keys.length} kinds, each in one module`)
