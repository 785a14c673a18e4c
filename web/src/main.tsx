import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app'
import { registerServiceWorker } from './app/service-worker'
import { activateLocale } from './lib/i18n/i18n'
import { storedLocale } from './lib/i18n/locales'
import { resumeSession, watchTokens } from './lib/session/watch-tokens'
import './styles/app.css'

// Language and session come side by side; the static shell of index.html is on screen meanwhile.
await Promise.all([activateLocale(storedLocale()), resumeSession()])
watchTokens()
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
registerServiceWorker()
