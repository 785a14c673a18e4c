/**
 * Libraries hand the browser's language to `Intl` as soon as they are loaded, and `Intl` throws at a name that is no
 * language (`C`, `en-US@posix`). Then the page's own language is the browser's.
 */
export function makeLanguageUsable() {
  try {
    Intl.getCanonicalLocales(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', {
      configurable: true,
      get: () => document.documentElement.lang,
    })
  }
}
