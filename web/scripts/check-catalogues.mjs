// Compares the five catalogues: same ids, same placeholders, no empty or untranslated text, no unused and no
// missing id. Texts that are the same in several languages on purpose are listed in
// src/locales/same-text.json: {"id": ["en", "fr"]}, including German if it is one of them.
import { readFile } from 'node:fs/promises'
import { report, SRC, sourceFiles } from './source-files.mjs'

const LOCALES = ['de', 'en', 'pl', 'fr', 'hr']
const read = async (name) => JSON.parse(await readFile(`${SRC}/locales/${name}.json`, 'utf8'))
const catalogues = Object.fromEntries(
  await Promise.all(LOCALES.map(async (locale) => [locale, await read(locale)])),
)
const sameText = await read('same-text')
/** Prefixes of the ids that are not loaded with every page (vite/catalogue-parts.ts). */
const parts = Object.entries(await read('parts'))
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

/** An id counts as used if it occurs in quotes, or if a template such as `field.${code}` has its prefix. */
function idsIn(text) {
  const quoted = new Set([...text.matchAll(/['"]([a-z][\w-]*(?:\.[\w-]+)+)['"]/gi)].map(([, id]) => id))
  const prefixes = [...text.matchAll(/`([a-z][\w.-]*\.)\$\{/gi)].map(([, prefix]) => prefix)
  return ids.filter((id) => quoted.has(id) || prefixes.some((prefix) => id.startsWith(prefix)))
}

const files = (await sourceFiles()).filter(({ path }) => !path.includes('.test.'))

function checkUse() {
  const text = files.map((file) => file.text).join('\n')
  const used = new Set(idsIn(text))
  const called = [...text.matchAll(/\bt\(\s*['"]([^'"]+)['"]/g)].map(([, id]) => id)
  return [
    ...ids.filter((id) => !used.has(id)).map((id) => `${id} is not used`),
    ...called.filter((id) => !ids.includes(id)).map((id) => `${id} is used, but is in no catalogue`),
    ...Object.keys(sameText)
      .filter((id) => !ids.includes(id))
      .map((id) => `same-text.json names ${id}, which is in no catalogue`),
  ]
}

const partOf = (id) =>
  parts.find(([, starts]) => starts.some((start) => id.startsWith(start)))?.[0] ?? 'house'

/** The parts of the catalogues that are loaded when this code runs, by its path. */
function partsAt(path) {
  // Only electricians open these, with the texts of their fleet.
  if (/^features\/(commands\/end-command|update\/withdraw-update)/.test(path))
    return ['door', 'house', 'outlook']
  if (path.startsWith('features/company/')) return ['door', 'house', 'arrival', 'settings']
  if (path.startsWith('features/settings/batch/')) return ['door', 'house', 'fleet', 'settings']
  if (
    /^features\/(account|commands|commissioning|grants|journal|prices|settings)\/|^app\/pages\/settings|^components\/(access|replace|site)\//.test(
      path,
    )
  )
    return ['door', 'house', 'settings']
  if (
    /^features\/(alarms\/|charts\/(components\/(chart-summary|compare-menu|panel-heading|small-chart)|(model\/)?small)|dashboard\/(decisions-notice|outlook-card)|systems\/(group-|system-list))/.test(
      path,
    )
  )
    return ['door', 'house', 'outlook']
  if (/^components\/(passkey|totp)\/|^features\/auth\/totp-step/.test(path)) return ['door', 'settings']
  if (path === 'features/auth/enrol-page.tsx') return ['door', 'arrival', 'settings']
  if (
    /^components\/keys\/|^features\/auth\/(confirm|connect|consent|join|key-|lock|partner|password-reset|regist|terms)/.test(
      path,
    )
  )
    return ['door', 'arrival']
  if (/^components\/tariff\/|^features\/money\/tariff-card/.test(path)) return ['door', 'house', 'outlook']
  if (path.startsWith('features/calendar/')) return ['door', 'house', 'calendar', 'outlook']
  if (/^features\/fleet\/(components\/(end-user-dialog|primary-action|system-facts)|system-page)/.test(path))
    return ['door', 'house', 'fleet', 'settings']
  if (path.startsWith('features/fleet/')) return ['door', 'house', 'fleet']
  if (/^features\/(plan\/|charts\/components\/forecast-accuracy|dashboard\/weather-notice)/.test(path))
    return ['door', 'house', 'plan']
  if (path.startsWith('features/update/')) return ['door', 'house', 'update']
  const atDoor = /^(app|lib|features\/auth|components\/(ui|keys|account))\//.test(path)
  return atDoor && !/^app\/(main-layout|pages|to-dashboard)|testing/.test(path) ? ['door'] : ['door', 'house']
}

const checkParts = () =>
  files.flatMap(({ path, text }) =>
    idsIn(text)
      .filter((id) => !partsAt(path).includes(partOf(id)))
      .map((id) => `${path} may show ${id} before it is loaded: see locales/parts.json`),
  )

const problems = [
  ...LOCALES.flatMap(checkLocale),
  ...ids.flatMap(checkSameText),
  ...checkUse(),
  ...checkParts(),
]
report(problems, `catalogues: ${ids.length} texts in ${LOCALES.length} languages`)
