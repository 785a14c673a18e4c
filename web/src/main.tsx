import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { configQuery } from '@/lib/data/config'
import { pendingGrantsQuery } from '@/lib/data/grants'
import { planQuery } from '@/lib/data/plan'
import { systemsQuery } from '@/lib/data/systems'
import { App } from './app/app'
import { guard } from './app/guard'
import { router } from './app/router'
import { registerServiceWorker } from './app/service-worker'
import { LOCAL_STORAGE_TIMEOUT } from './lib/constants'
import { activateLocale } from './lib/i18n/i18n'
import { storedLocale } from './lib/i18n/locales'
import { liveQuery } from './lib/live/live-query'
import { loadChunk } from './lib/load-chunk'
import { restoreOfflineCache, startOfflineCache } from './lib/offline/offline-cache'
import { queryClient } from './lib/query-client'
import { dashboardOf } from './lib/session/role-home'
import { isAuthenticated } from './lib/session/tokens'
import { resumeSession, watchTokens } from './lib/session/watch-tokens'
import { makeLanguageUsable } from './lib/usable-language'
import { withTimeout } from './lib/with-timeout'
import './styles/app.css'

const GUEST = { authenticated: false, role: 'user', limited: false } as const
/** The only page of a session whose second factor is not set up yet. */
const ENROL = '/enrol'

/** Prefetches the data of every page behind the login while its scripts load. */
async function askAhead() {
  await resumeSession()
  const { pathname } = location
  const isOpenToGuests = guard(pathname, GUEST) === null
  if (isOpenToGuests || pathname === ENROL || !isAuthenticated()) return
  const systems = queryClient.prefetchQuery(systemsQuery)
  void queryClient.prefetchQuery(liveQuery(storedLocale()))
  void queryClient.prefetchQuery(pendingGrantsQuery)
  if (pathname === dashboardOf('user')) void systems.then(askForPlans)
}

/** The dashboard's bad-weather notice needs the plans. */
function askForPlans() {
  for (const { sn } of queryClient.getQueryData(systemsQuery.queryKey) ?? [])
    void queryClient.prefetchQuery(planQuery(sn, storedLocale()))
}

/**
 * Loads language, session and cached answers in parallel, then the first page; the static shell of index.html
 * is on screen meanwhile. It does not wait for slow cached answers.
 */
async function start() {
  makeLanguageUsable()
  void queryClient.prefetchQuery(configQuery)
  await Promise.all([
    loadChunk(() => activateLocale(storedLocale())),
    askAhead(),
    withTimeout(restoreOfflineCache(), LOCAL_STORAGE_TIMEOUT, undefined),
  ])
  watchTokens()
  startOfflineCache()
  await router.load()
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <App router={router} />
    </StrictMode>,
  )
}

// Without texts the app cannot show its failure; boot.js can.
start().catch((error: unknown) => {
  // biome-ignore lint/suspicious/noConsole: the page can say only that it failed
  console.error('boot_failed', error)
  dispatchEvent(new Event('boot-failed'))
})

// A page that "back" restores from the browser's cache may belong to an ended session.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) void router.invalidate()
})
registerServiceWorker()
