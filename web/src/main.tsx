import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app'
import { guard } from './app/guard'
import { router } from './app/router'
import { registerServiceWorker } from './app/service-worker'
import { pendingGrantsQuery } from './lib/api/grants'
import { planQuery } from './lib/api/plan-queries'
import { configQuery, systemsQuery } from './lib/api/queries'
import { LOCAL_STORAGE_TIMEOUT } from './lib/constants'
import { activateLocale } from './lib/i18n/i18n'
import { storedLocale } from './lib/i18n/locales'
import { liveQuery } from './lib/live/live-query'
import { loadChunk } from './lib/load-chunk'
import { bringBackAnswers, keepAnswers } from './lib/offline/keep-answers'
import { queryClient } from './lib/query-client'
import { dashboardOf } from './lib/session/role-home'
import { isAuthenticated } from './lib/session/tokens'
import { resumeSession, watchTokens } from './lib/session/watch-tokens'
import { makeLanguageUsable } from './lib/usable-language'
import { withTimeout } from './lib/with-timeout'
import './styles/app.css'

const GUEST = { authenticated: false, role: 'user', limited: false } as const
/** Behind the login, and yet nothing is opened before a second factor is set up there. */
const ENROL = '/enrol'

/** What every page behind the login needs is asked for while its scripts are still on their way. */
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

/** The dashboard waits for them: they say whether bad weather is ahead. */
function askForPlans() {
  for (const { sn } of queryClient.getQueryData(systemsQuery.queryKey) ?? [])
    void queryClient.prefetchQuery(planQuery(sn, storedLocale()))
}

/**
 * Language, session and last answers come side by side, then the first page; the static shell of index.html is on screen
 * meanwhile. Last answers that take their time are shown when they come.
 */
async function start() {
  makeLanguageUsable()
  void queryClient.prefetchQuery(configQuery)
  await Promise.all([
    loadChunk(() => activateLocale(storedLocale())),
    askAhead(),
    withTimeout(bringBackAnswers(), LOCAL_STORAGE_TIMEOUT, undefined),
  ])
  watchTokens()
  keepAnswers()
  await router.load()
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <App router={router} />
    </StrictMode>,
  )
}

// Without its texts the app cannot say that it failed; boot.js can.
start().catch((error: unknown) => {
  // biome-ignore lint/suspicious/noConsole: the page can say only that it failed
  console.error('boot_failed', error)
  dispatchEvent(new Event('boot-failed'))
})

// A page that "back" brings out of the browser's memory may belong to a session that is over.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) void router.invalidate()
})
registerServiceWorker()
