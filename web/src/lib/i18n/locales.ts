import type de from '@/locales/de.json'
import { STORAGE } from '../storage-keys'

/** German is the reference: an id that is missing there does not compile. */
export type MessageId = keyof typeof de

/** Each language in its own name. */
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

/** The stored language, German by default. */
export function storedLocale(): Locale {
  const stored = localStorage.getItem(STORAGE.language)
  return isLocale(stored) ? stored : DEFAULT_LOCALE
}
