// Compares the five catalogues: same ids, same placeholders, no empty or untranslated text, no unused and no
// missing id. Texts that are the same in several languages on purpose are listed in
// src/locales/same-text.json: {"id": ["en", "fr"]}, including German if it is one of them.
import { readFile } from 'node:fs/promises'
import { idsIn } from './ids-in.mjs'
import { report, SRC, sourceFiles } from './source-files.mjs'

const LOCALES = ['de', 'en', 'pl', 'fr', 'hr']
const read = async (name) => JSON.parse(await readFile(`${SRC}/locales/${name}.json`, 'utf8'))
const catalogues = Object.fromEntries(
  await Promise.all(LOCALES.map(async (locale) => [locale, await read(locale)])),
)
const sameText = await read('same-text')
const ids = Object.keys(catalogues.de)

/** Names of the ICU arguments: `{name}` and `{name, plural, …}`, at any depth. */
const placeholders = (text) =>
  [...new Set([...text.matchAll(/\{\s*(\w+)\s*[,}]/g)].map(([, name]) => name))].sort().join(', ')

/** The plural branches that a language requires, such as Polish "few" and "many". */
function missingPlurals(text, locale) {
  if (!/,\s*plural\s*,/.test(text)) return []
  return new Intl.PluralRules(locale).resolvedOptions().pluralCategories.filter(
    // French "many" is for millions, where "other" reads well.
    (category) =>
      !(locale === 'fr' && category === 'many') && !new RegExp(`\\b${category}\\s*\\{`).test(text),
  )
}

function checkLocale(locale) {
  const catalogue = catalogues[locale]
  const problems = [
    ...ids.filter((id) => !(id in catalogue)).map((id) => `${locale}: ${id} is missing`),
    ...Object.keys(catalogue)
      .filter((id) => !ids.includes(id))
      .map((id) => `${locale}: ${id} is not in de`),
  ]
  for (const [id, text] of Object.entries(catalogue)) {
    if (text.trim() === '') problems.push(`${locale}: ${id} is empty`)
    if (id in catalogues.de && placeholders(text) !== placeholders(catalogues.de[id]))
      problems.push(`${locale}: ${id} has other placeholders than de`)
    for (const category of missingPlurals(text, locale))
      problems.push(`${locale}: ${id} lacks plural "${category}"`)
  }
  return problems
}

function checkSameText(id) {
  return [...localesByText(id).values()]
    .filter((locales) => locales.length > 1 && !locales.every((locale) => sameText[id]?.includes(locale)))
    .map(
      (locales) => `${id} is the same in ${locales.join(', ')}: translate it, or name it in same-text.json`,
    )
}

function localesByText(id) {
  const groups = new Map()
  for (const locale of LOCALES) {
    const text = catalogues[locale][id]
    groups.set(text, [...(groups.get(text) ?? []), locale])
  }
  return groups
}

const files = (await sourceFiles()).filter(({ path }) => !path.includes('.test.'))

function checkUse() {
  const text = files.map((file) => file.text).join('\n')
  const used = new Set(idsIn(text, ids))
  const called = [...text.matchAll(/\bt\(\s*['"]([^'"]+)['"]/g)].map(([, id]) => id)
  return [
    ...ids.filter((id) => !used.has(id)).map((id) => `${id} is not used`),
    ...called.filter((id) => !ids.includes(id)).map((id) => `${id} is used, but is in no catalogue`),
    ...Object.keys(sameText)
      .filter((id) => !ids.includes(id))
      .map((id) => `same-text.json names ${id}, which is in no catalogue`),
  ]
}

const problems = [...LOCALES.flatMap(checkLocale), ...ids.flatMap(checkSameText), ...checkUse()]
report(problems, `catalogues: ${ids.length} texts in ${LOCALES.length} languages`)
