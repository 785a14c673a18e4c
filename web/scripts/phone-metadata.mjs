// Extracts the phone rules of our countries from libphonenumber-js, whose full set is ten times as large. Run
// `npm run phone-metadata` after updating the package; `--check` only compares.
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

const full = createRequire(import.meta.url)('libphonenumber-js/metadata.max.json')
const target = new URL('../src/lib/validation/phone-metadata.json', import.meta.url)
const source = await readFile(new URL('../src/lib/validation/countries.ts', import.meta.url), 'utf8')
const countries = [...source.matchAll(/'([A-Z]{2})'/g)].map(([, country]) => country)

const pick = (entries, keep) => Object.fromEntries(Object.entries(entries).filter(keep))
const callingCodes = pick(full.country_calling_codes, ([, users]) =>
  users.some((user) => countries.includes(user)),
)
const metadata = {
  version: full.version,
  country_calling_codes: Object.fromEntries(
    Object.entries(callingCodes).map(([code, users]) => [
      code,
      users.filter((user) => countries.includes(user)),
    ]),
  ),
  countries: pick(full.countries, ([country]) => countries.includes(country)),
  nonGeographic: {},
}

const text = `${JSON.stringify(metadata)}\n`
if (!process.argv.includes('--check')) await writeFile(target, text)
else if ((await readFile(target, 'utf8')) !== text) {
  console.error('phone-metadata.json is out of date: npm run phone-metadata')
  process.exit(1)
}
