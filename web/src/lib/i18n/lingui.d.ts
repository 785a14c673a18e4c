/** A part of a catalogue (vite/catalogue-parts.ts). */
declare module '*?lingui' {
  import type { Messages } from '@lingui/core'
  export const messages: Messages
}
