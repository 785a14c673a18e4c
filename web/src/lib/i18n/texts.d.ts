/** The catalogues, compiled and divided by vite/texts.ts. */
declare module 'virtual:texts' {
  import type { Messages } from '@lingui/core'

  type Texts = { messages: Messages }
  /** `parts[n]` loads the texts of a module that is imported on demand; there is no part 0. */
  type Language = Texts & { parts: readonly (() => Promise<Texts>)[] }
  export const languages: Record<'de' | 'en' | 'pl' | 'fr' | 'hr', () => Promise<Language>>
}
