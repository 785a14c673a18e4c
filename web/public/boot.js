// Runs before first paint, so that the theme never flashes. A file of its own: the CSP forbids inline script.
// Plain script, not built: keys, colours and the time-out are those of src/lib/storage-keys.ts, src/styles/tokens.css
// and src/lib/constants.ts.
;(() => {
  const root = document.documentElement
  let dark = null
  let language = null
  try {
    dark = localStorage.getItem('darkMode')
    language = localStorage.getItem('language')
  } catch {
    // Storage is blocked: dark and German, as on a first visit.
  }
  if (/^(de|en|pl|fr|hr)$/.test(language)) root.lang = language
  if (dark === 'false') {
    root.dataset.theme = 'light'
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', '#f4f6f9')
  }

  // The scripts of the app may not come at all, its texts included: then only this file can say so.
  const CHUNK_LOAD_TIMEOUT = 120_000
  const TEXTS = {
    de: ['Die Seite konnte nicht geladen werden.', 'Seite neu laden'],
    en: ['Loading chunk failed. The page did not arrive.', 'Reload page'],
    pl: ['Nie udało się wczytać strony.', 'Wczytaj stronę ponownie'],
    fr: ['La page n’a pas pu être chargée.', 'Recharger la page'],
    hr: ['Stranica se nije učitala.', 'Ponovno učitaj stranicu'],
  }
  const sayFailed = () => {
    const boot = document.querySelector('.boot') // gone as soon as the app is drawn
    const [text, action] = TEXTS[language] ?? TEXTS.de
    if (!boot || boot.getAttribute('role') === 'alert') return
    boot.setAttribute('role', 'alert')
    boot.removeAttribute('aria-label')
    boot.querySelector('p').textContent = text
    const button = document.createElement('button')
    button.textContent = action
    button.addEventListener('click', () => location.reload())
    boot.append(button)
  }
  addEventListener('boot-failed', sayFailed)
  addEventListener('error', ({ target }) => target instanceof HTMLScriptElement && sayFailed(), true)
  setTimeout(sayFailed, CHUNK_LOAD_TIMEOUT)
})()
