/**
 * Registers /sw.js at the root. A new version reloads the page once, but not while an update of a battery is
 * on screen.
 */
import { reloadWhenFree } from '@/lib/hold-reload'
import { page } from '@/lib/session/page'

/** Prevents an endless loop if two servers with different versions share an address. */
const RELOAD_PAUSE = 60_000
const UPDATE_CHECK = 3_600_000
const LAST_RELOAD = 'serviceWorkerReload'

export function registerServiceWorker() {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  reloadOnNewVersion(navigator.serviceWorker)
  const register = () =>
    navigator.serviceWorker.register('/sw.js', { scope: '/' }).then(checkForUpdates, () => undefined)
  // The load event may have happened before the app is rendered.
  if (document.readyState === 'complete') void register()
  else addEventListener('load', () => void register(), { once: true })
}

/** The worker takes control as soon as it is installed. Only later ones replace a loaded version. */
export function reloadOnNewVersion(
  container: Pick<ServiceWorkerContainer, 'controller' | 'addEventListener'>,
) {
  let controlled = container.controller !== null
  container.addEventListener('controllerchange', () => {
    if (controlled) reloadWhenFree(reloadUnlessJustDone)
    controlled = true
  })
}

function reloadUnlessJustDone() {
  const last = Number(sessionStorage.getItem(LAST_RELOAD) ?? 0)
  if (Date.now() - last < RELOAD_PAUSE) return
  sessionStorage.setItem(LAST_RELOAD, String(Date.now()))
  page.reload()
}

/**
 * Browsers check for a new worker on page loads only; a portal that stays open for days has to check itself.
 */
function checkForUpdates(registration: ServiceWorkerRegistration) {
  setInterval(() => void registration.update().catch(() => undefined), UPDATE_CHECK)
}
