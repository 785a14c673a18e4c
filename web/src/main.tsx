import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app'
import { router } from './app/router'
import { registerServiceWorker } from './app/service-worker'
import { configQuery } from './lib/api/queries'
import { activateLocale } from './lib/i18n/i18n'
import { storedLocale } from './lib/i18n/locales'
import { loadChunk } from './lib/load-chunk'
import { bringBackAnswers, keepAnswers } from './lib/offline/keep-answers'
import { queryClient } from './lib/query-client'
import { resumeSession, watchTokens } from './lib/session/watch-tokens'
import './styles/app.css'

/** Language, session and last answers come side by side, then the first page; the static shell of index.html is on screen meanwhile. */
async function start() {
  void queryClient.prefetchQuery(configQuery)
  await Promise.all([loadChunk(() => activateLocale(storedLocale())), resumeSession(), bringBackAnswers()])
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
start().catch(() => dispatchEvent(new Event('boot-failed')))

// A page that "back" brings out of the browser's memory may belong to a session that is over.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) void router.invalidate()
})
registerServiceWorker()
