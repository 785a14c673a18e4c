import { COUNTRIES, type Country } from '../validation/countries'
import type { Locale } from './locales'

/** Countries in the language's names and order. */
export function countryOptions(locale: Locale): { value: Country; label: string }[] {
  const names = new Intl.DisplayNames(locale, { type: 'region' })
  return COUNTRIES.map((value) => ({ value, label: names.of(value) ?? value })).sort((a, b) =>
    a.label.localeCompare(b.label, locale),
  )
}

/** The default country of a form; English is spoken in none of our countries. */
export const likelyCountry = (locale: Locale): Country | '' =>
  ({ de: 'DE', pl: 'PL', fr: 'FR', hr: 'HR', en: '' })[locale] as Country | ''
