import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app'
import { router } from './app/router'
import { registerServiceWorker } from './app/service-worker'
import { configQuery } from './lib/api/queries'
import { activateLocale } from './lib/i18n/i18n'
import { storedLocale } from './lib/i18n/locales'
import { queryClient } from './lib/query-client'
import { resumeSession, watchTokens } from './lib/session/watch-tokens'
import './styles/app.css'

void queryClient.prefetchQuery(configQuery)
// Language and session come side by side, then the first page; the static shell of index.html is on screen meanwhile.
await Promise.all([activateLocale(storedLocale()), resumeSession()])
watchTokens()
await router.load()
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App router={router} />
  </StrictMode>,
)
// A page that "back" brings out of the browser's memory may belong to a session that is over.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) void router.invalidate()
})
registerServiceWorker()
