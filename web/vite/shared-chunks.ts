import type { ChunkingContext } from 'rolldown'

/** What every page needs of libraries, in one file that stays cached while pages change. */
const VENDOR =
  /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](react-router|router-core|history|react-store|store|react-query|query-core)|@lingui|@messageformat|zustand|clsx|class-variance-authority)[\\/]/
/** Parts of these libraries that few pages need. Their packages import them, which says nothing about who uses them. */
const SELDOM = /[\\/](useBlocker|useMutationState|useQueries|queriesObserver)\.js$/

const START = /[\\/]src[\\/]main\.tsx$/
const LOGIN = /[\\/](auth-layout|login-page)\.tsx$/
const PORTAL = /[\\/](main-layout|pages[\\/]dashboard)\.tsx$/
/** What the dashboard loads after itself. */
const CARDS = /[\\/](money-card|big-chart)\.tsx$/
/** And when somebody scrolls. */
const BELOW = /[\\/]small-charts\.tsx$/
/** Belongs to one page, to the two that show a system live, or to charts. */
const OWN = /[\\/]src[\\/](app|features|components[\\/]live)[\\/]|[\\/]uplot[\\/]/

/** Whether a module comes along whenever this one is loaded. */
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
 * One file of what the app always loads, one of what forms need (all of it for the login), one of what the pages behind the login
 * have in common, and one of what the cards of the dashboard share with other pages. Left alone, the bundler makes fifty small
 * ones, which weigh more than they hold.
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
