import { type Messages, setupI18n } from '@lingui/core'
import { STORAGE } from '../storage-keys'
import { isLocale, type Locale } from './locales'

type Catalogue = { messages: Messages }

/**
 * One chunk per language and part of the app (locales/parts.json): the login pages (`door`), onboarding up to
 * the first system (`arrival`), calendar, fleet, settings (with the second factor), update wizard, the lower
 * dashboard (`outlook`, with the alarms), charge plan and forecasts, and the rest. So visitors load neither
 * other languages nor texts of other pages.
 */
const PARTS = {
  door: import.meta.glob<Catalogue>('../../locales/??.json', { query: '?door?lingui' }),
  arrival: import.meta.glob<Catalogue>('../../locales/??.json', { query: '?arrival?lingui' }),
  house: import.meta.glob<Catalogue>('../../locales/??.json', { query: '?house?lingui' }),
  calendar: import.meta.glob<Catalogue>('../../locales/??.json', { query: '?calendar?lingui' }),
  fleet: import.meta.glob<Catalogue>('../../locales/??.json', { query: '?fleet?lingui' }),
  outlook: import.meta.glob<Catalogue>('../../locales/??.json', { query: '?outlook?lingui' }),
  plan: import.meta.glob<Catalogue>('../../locales/??.json', { query: '?plan?lingui' }),
  settings: import.meta.glob<Catalogue>('../../locales/??.json', { query: '?settings?lingui' }),
  update: import.meta.glob<Catalogue>('../../locales/??.json', { query: '?update?lingui' }),
}
export type TextPart = keyof typeof PARTS
export const TEXT_PARTS = Object.keys(PARTS) as TextPart[]

/** The opened parts; a change of language loads all of them. */
const opened = new Set<TextPart>(['door'])

export const i18n = setupI18n()

async function load(part: TextPart, locale: Locale) {
  const catalogue = await PARTS[part][`../../locales/${locale}.json`]?.()
  if (catalogue) i18n.load(locale, catalogue.messages)
}

/** Loads a language, activates it and stores the choice. */
export async function activateLocale(locale: Locale) {
  await Promise.all([...opened].map((part) => load(part, locale)))
  i18n.activate(locale)
  document.documentElement.lang = locale
  localStorage.setItem(STORAGE.language, locale)
}

/** Loads the texts of a part before its first page is shown. */
export async function openTexts(part: TextPart) {
  if (opened.has(part)) return
  const { locale } = i18n
  if (isLocale(locale)) await load(part, locale)
  // The language may have changed meanwhile.
  if (locale !== i18n.locale) return openTexts(part)
  opened.add(part)
}
