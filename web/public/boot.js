// Runs before first paint, so that the theme never flashes. A file of its own: the CSP forbids inline script.
// Plain script, not built: keys and colours are those of src/lib/storage-keys.ts and src/styles/tokens.css.
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
  if (language) root.lang = language
  if (dark !== 'false') return
  root.dataset.theme = 'light'
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', '#f4f6f9')
})()
