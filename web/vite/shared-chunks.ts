import type { ChunkingContext } from 'rolldown'

/** What every page needs of libraries, in one file that stays cached while pages change. */
const VENDOR =
  /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](react-router|router-core|history|react-store|store|react-query|query-core)|@lingui|@messageformat|zustand|clsx|class-variance-authority)[\\/]/

const START = /[\\/]src[\\/]main\.tsx$/
const LOGIN = /[\\/](auth-layout|login-page)\.tsx$/
const PORTAL = /[\\/](main-layout|pages[\\/]dashboard)\.tsx$/
/** Belongs to one page, or to the two that show a system live. */
const OWN = /[\\/]src[\\/](app|features|components[\\/]live)[\\/]/
/** The library imports every icon itself, which says nothing about who draws it. */
const ICON = /lucide-react[\\/].*[\\/]icons[\\/]/

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
 * What the app always loads is one file, and what the pages behind the login have in common another one: left alone, the
 * bundler makes thirty small ones, which weigh more than they hold.
 */
function sharedBy(id: string, context: ChunkingContext): string | null {
  if (ICON.test(id)) return null
  if (comesWith(START, id, context)) return 'base'
  if (OWN.test(id) || !comesWith(PORTAL, id, context)) return null
  return comesWith(LOGIN, id, context) ? 'base' : 'portal'
}

export const sharedChunks = [
  { name: 'vendor', test: VENDOR, priority: 1 },
  { name: sharedBy, debugName: 'shared' },
]
