/**
 * Libraries pass the browser's language to `Intl` when they load, and `Intl` throws for invalid names (`C`,
 * `en-US@posix`). This replaces such a language by the page's.
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
