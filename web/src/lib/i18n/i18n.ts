import { languages } from 'virtual:texts'
import { setupI18n } from '@lingui/core'
import { STORAGE } from '../storage-keys'
import { isLocale, type Locale } from './locales'

/** The opened parts; a change of language loads all of them. */
const opened = new Set<number>()

export const i18n = setupI18n()

async function load(part: number, locale: Locale) {
  const { parts } = await languages[locale]()
  const texts = await parts[part]?.()
  if (texts) i18n.load(locale, texts.messages)
}

/** Loads a language, activates it and stores the choice. */
export async function activateLocale(locale: Locale) {
  const [{ messages }] = await Promise.all([
    languages[locale](),
    ...[...opened].map((part) => load(part, locale)),
  ])
  i18n.load(locale, messages)
  i18n.activate(locale)
  document.documentElement.lang = locale
  localStorage.setItem(STORAGE.language, locale)
}

/** Loads the texts of a part before it is shown. */
async function openTexts(part: number) {
  if (opened.has(part)) return
  const { locale } = i18n
  if (isLocale(locale)) await load(part, locale)
  // The language may have changed meanwhile.
  if (locale !== i18n.locale) return openTexts(part)
  opened.add(part)
}

/**
 * Resolves with a module when its texts are loaded, too. The build puts this around each `import()` of a
 * module with texts (vite/texts.ts).
 */
export const withTexts = async <M>(part: number, module: Promise<M>): Promise<M> =>
  (await Promise.all([module, openTexts(part)]))[0]
