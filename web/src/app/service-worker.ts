/** Registers /sw.js at the root; a new version of it reloads the page, once, and not while an update of a storage is on screen. */
import { reloadWhenFree } from '@/lib/hold-reload'
import { page } from '@/lib/session/page'

/** Two servers with two versions behind one address must not make the page reload for ever. */
const RELOAD_PAUSE = 60_000
const UPDATE_CHECK = 3_600_000
const LAST_RELOAD = 'serviceWorkerReload'

export function registerServiceWorker() {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  reloadOnNewVersion(navigator.serviceWorker)
  const register = () =>
    navigator.serviceWorker.register('/sw.js', { scope: '/' }).then(checkForUpdates, () => undefined)
  // By the time the app is drawn the load event may be long past, and a listener would never run.
  if (document.readyState === 'complete') void register()
  else addEventListener('load', () => void register(), { once: true })
}

/** The worker takes over as soon as it is installed. The first one brings nothing new, every later one does. */
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

/** Browsers look for a new worker when a page is loaded; a portal that stays open for days has to ask. */
function checkForUpdates(registration: ServiceWorkerRegistration) {
  setInterval(() => void registration.update().catch(() => undefined), UPDATE_CHECK)
}
