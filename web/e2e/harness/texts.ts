/** The texts on screen, by the app's ids. */
import { readFileSync } from 'node:fs'
import type german from '../../src/locales/de.json'

export const LANGUAGES = ['de', 'en', 'pl', 'fr', 'hr'] as const
export type Language = (typeof LANGUAGES)[number]
export type MessageId = keyof typeof german

const load = (language: Language) =>
  JSON.parse(readFileSync(new URL(`../../src/locales/${language}.json`, import.meta.url), 'utf8')) as Record<
    MessageId,
    string
  >

const catalogues = Object.fromEntries(LANGUAGES.map((language) => [language, load(language)])) as Record<
  Language,
  Record<MessageId, string>
>

export const messageIds = Object.keys(catalogues.de) as MessageId[]

/** A text of the catalogue. Simple values such as `{email}` are filled in; plurals are not supported. */
export function text(id: MessageId, values: Record<string, string> = {}, language: Language = 'de'): string {
  return catalogues[language][id].replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}
