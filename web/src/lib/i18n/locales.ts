import type de from '@/locales/de.json'
import { STORAGE } from '../storage-keys'

/** German is the source of truth: an id that is missing there does not compile. */
export type MessageId = keyof typeof de

/** Each language calls itself by its own name, whatever language the page is in. */
export const LOCALES = {
  de: 'Deutsch',
  en: 'English',
  pl: 'Polski',
  fr: 'Français',
  hr: 'Hrvatski',
} as const

export type Locale = keyof typeof LOCALES

export const DEFAULT_LOCALE: Locale = 'de'

export const isLocale = (value: unknown): value is Locale => typeof value === 'string' && value in LOCALES

/** The language chosen in this browser, German if none was. */
export function storedLocale(): Locale {
  const stored = localStorage.getItem(STORAGE.language)
  return isLocale(stored) ? stored : DEFAULT_LOCALE
}
