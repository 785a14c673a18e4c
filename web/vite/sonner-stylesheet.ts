import type { Plugin } from 'vite'

const INJECTION = /^__insertCSS\("(?:[^"\\]|\\.)*"\);?$/m

/**
 * Sonner injects its styles as a `<style>` element when imported, which our CSP (no unsafe-inline) refuses.
 * This removes the call; `styles/app.css` imports the same rules as a file.
 */
export function sonnerStylesheet(): Plugin {
  return {
    name: 'suncellar:sonner-stylesheet',
    apply: 'build',
    transform: {
      filter: { id: /sonner[\\/]dist[\\/]index\.mjs/ },
      handler(code) {
        if (!INJECTION.test(code))
          this.error('sonner no longer injects its styles this way: revisit the plugin')
        return { code: code.replace(INJECTION, ''), map: null }
      },
    },
  }
}
