import { DEFAULT_LOCALE, isLocale, type Locale } from '@/lib/i18n/locales'
import { STORAGE } from '@/lib/storage-keys'

/** The first language of the browser's that we have, for who has chosen none here and sees the German of a first visit. */
export function offeredLocale(
  languages: readonly string[] = navigator.languages,
  chosen: string | null = localStorage.getItem(STORAGE.language),
): Locale | null {
  if (chosen !== null) return null
  const read = languages.map((language) => language.split('-')[0]).find(isLocale)
  return read === undefined || read === DEFAULT_LOCALE ? null : read
}
