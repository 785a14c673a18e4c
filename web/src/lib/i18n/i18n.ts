import { type Messages, setupI18n } from '@lingui/core'
import { STORAGE } from '../storage-keys'
import { isLocale, type Locale } from './locales'

type Catalogue = { messages: Messages }

/**
 * A chunk per language and part of the app (locales/parts.json): what is shown around the login (`door`), until
 * an account and its first system are there (`arrival`), in the calendar, in an electrician's fleet, in the settings (and
 * for the second factor), in the update wizard, below the first sight of the dashboard (`outlook`, with the alarms), for
 * the charge plan and forecasts, and everywhere else. Nobody downloads the other four languages, nor texts of pages that are not opened.
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

/** The parts that somebody has opened: from then on every language brings them. */
const opened = new Set<TextPart>(['door'])

export const i18n = setupI18n()

async function load(part: TextPart, locale: Locale) {
  const catalogue = await PARTS[part][`../../locales/${locale}.json`]?.()
  if (catalogue) i18n.load(locale, catalogue.messages)
}

/** Loads a language, switches to it and remembers it. */
export async function activateLocale(locale: Locale) {
  await Promise.all([...opened].map((part) => load(part, locale)))
  i18n.activate(locale)
  document.documentElement.lang = locale
  localStorage.setItem(STORAGE.language, locale)
}

/** Loads the texts of a part of the app, before the first page of it is shown. */
export async function openTexts(part: TextPart) {
  if (opened.has(part)) return
  const { locale } = i18n
  if (isLocale(locale)) await load(part, locale)
  // Somebody may have chosen another language meanwhile.
  if (locale !== i18n.locale) return openTexts(part)
  opened.add(part)
}
