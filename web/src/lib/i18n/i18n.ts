import { type Messages, setupI18n } from '@lingui/core'
import { STORAGE } from '../storage-keys'
import type { Locale } from './locales'

/** One chunk per language: nobody downloads the other four. */
const catalogues: Record<Locale, () => Promise<{ messages: Messages }>> = {
  de: () => import('@/locales/de.json?lingui'),
  en: () => import('@/locales/en.json?lingui'),
  pl: () => import('@/locales/pl.json?lingui'),
  fr: () => import('@/locales/fr.json?lingui'),
  hr: () => import('@/locales/hr.json?lingui'),
}

export const i18n = setupI18n()

/** Loads a language, switches to it and remembers it. */
export async function activateLocale(locale: Locale) {
  const { messages } = await catalogues[locale]()
  i18n.loadAndActivate({ locale, messages })
  document.documentElement.lang = locale
  localStorage.setItem(STORAGE.language, locale)
}
