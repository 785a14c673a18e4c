/** Registers /sw.js; a new version of it reloads the page. */
export function registerServiceWorker() {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  const register = () =>
    void import('virtual:pwa-register').then(({ registerSW }) => registerSW({ immediate: true }))
  // By the time the app is drawn the load event may be long past, and a listener would never run.
  if (document.readyState === 'complete') register()
  else addEventListener('load', register, { once: true })
}
