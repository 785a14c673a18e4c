import type { Plugin } from 'vite'

const SIZE = /((?:^|[;{\s])(?:font-size|--text-[\w-]+):\s*)([\d.]+)px/g

/** What a browser writes in by default: what everybody sees who has chosen no other size. */
const USUAL = 16

/** `font-size: 14px` as `font-size: 0.875rem`. */
export const inRem = (css: string) =>
  css.replace(SIZE, (_, name: string, pixels: string) => `${name}${Number(pixels) / USUAL}rem`)

/**
 * Sizes of text are written in pixels, as they are drawn for most people. In the stylesheet they are relative to the size that
 * somebody has chosen in their browser: text in pixels would not follow it. Comes after Tailwind, which makes the stylesheet.
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
