import type { Plugin } from 'vite'

const SIZE = /((?:^|[;{\s])(?:font-size|--text-[\w-]+):\s*)([\d.]+)px/g

/** The browsers' default font size. */
const USUAL = 16

/** `font-size: 14px` as `font-size: 0.875rem`. */
export const inRem = (css: string) =>
  css.replace(SIZE, (_, name: string, pixels: string) => `${name}${Number(pixels) / USUAL}rem`)

/**
 * Text sizes are written in pixels, as with the default font size. The stylesheet contains them in rem, so
 * that text follows the browser's font size. Runs after Tailwind, which generates the stylesheet.
 */
export function textInRem(): Plugin {
  return {
    name: 'suncellar:text-in-rem',
    enforce: 'pre',
    transform: {
      filter: { id: /\.css(\?|$)/ },
      handler: (code) => ({ code: inRem(code), map: null }),
    },
  }
}
