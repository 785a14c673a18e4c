import { COUNTRIES, type Country } from '../validation/countries'
import type { Locale } from './locales'

/** The countries in the words and the order of a language. */
export function countryOptions(locale: Locale): { value: Country; label: string }[] {
  const names = new Intl.DisplayNames(locale, { type: 'region' })
  return COUNTRIES.map((value) => ({ value, label: names.of(value) ?? value })).sort((a, b) =>
    a.label.localeCompare(b.label, locale),
  )
}

/** A first guess for a form; English is spoken in none of our countries. */
export const likelyCountry = (locale: Locale): Country | '' =>
  ({ de: 'DE', pl: 'PL', fr: 'FR', hr: 'HR', en: '' })[locale] as Country | ''
