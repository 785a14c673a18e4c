import type { Plugin } from 'vite'

const UNUSED = /^\s*(?:\(paths\.(?:stepped|bars|spline)|uPlot\.join)\s+= .*;$/gm
const EXPECTED = 4

/**
 * uPlot's functions for stepped, barred and curved lines and for joining tables, which we never use, are
 * members of its default export, so the bundler must keep them. This removes two kilobytes.
 */
export function uplotParts(): Plugin {
  return {
    name: 'suncellar:uplot-parts',
    apply: 'build',
    transform: {
      filter: { id: /uplot[\\/]dist[\\/]uPlot\.esm\.js/ },
      handler(code) {
        if (code.match(UNUSED)?.length !== EXPECTED)
          this.error('uPlot no longer exports its parts this way: revisit the plugin')
        return { code: code.replace(UNUSED, ''), map: null }
      },
    },
  }
}
