import type { ChunkingContext } from 'rolldown'

/** The libraries of every page, in one file that stays cached across releases. */
const VENDOR =
  /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](react-router|router-core|history|react-store|store|react-query|query-core)|@lingui|@messageformat|zustand|clsx|class-variance-authority)[\\/]/
/** Rarely used parts of these libraries. Their packages import them, which says nothing about their use. */
const SELDOM = /[\\/](useBlocker|useMutationState|useQueries|queriesObserver)\.js$/

const START = /[\\/]src[\\/]main\.tsx$/
const LOGIN = /[\\/](auth-layout|login-page)\.tsx$/
const PORTAL = /[\\/](main-layout|pages[\\/]dashboard)\.tsx$/
/** Loaded by the dashboard after its first render. */
const CARDS = /[\\/](money-card|big-chart)\.tsx$/
/** Loaded on scrolling. */
const BELOW = /[\\/]small-charts\.tsx$/
/** Used by one page, by the two with live values, or by charts. */
const OWN = /[\\/]src[\\/](app|features|components[\\/]live)[\\/]|[\\/]uplot[\\/]/

/** Whether loading `start` also loads this module. */
function comesWith(start: RegExp, id: string, context: ChunkingContext): boolean {
  const seen = new Set<string>()
  const climb = (module: string): boolean => {
    if (start.test(module)) return true
    if (seen.has(module)) return false
    seen.add(module)
    return context.getModuleInfo(module)?.importers.some(climb) ?? false
  }
  return climb(id)
}

/**
 * Defines shared chunks: the app's entry, forms (all of it for the login), the pages behind the login, and
 * the dashboard's cards. Without this the bundler creates fifty small chunks with more overhead than content.
 */
function sharedBy(id: string, context: ChunkingContext): string | null {
  const comes = (start: RegExp) => comesWith(start, id, context)
  if (SELDOM.test(id)) return null
  if (comes(START)) return 'base'
  const own = OWN.test(id)
  if (comes(LOGIN)) {
    if (comes(PORTAL) || comes(CARDS)) return 'base'
    return own ? null : 'forms'
  }
  if (comes(PORTAL)) return own ? null : 'portal'
  return comes(CARDS) && (!own || comes(BELOW)) ? 'cards' : null
}

export const sharedChunks = [
  { name: 'vendor', test: (id: string) => VENDOR.test(id) && !SELDOM.test(id), priority: 1 },
  { name: sharedBy, debugName: 'shared' },
]
