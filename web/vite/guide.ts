import { readdir, readFile } from 'node:fs/promises'
import type { Plugin } from 'vite'
import { guidePage } from './guide-page.ts'

const SOURCE = new URL('../../docs/guide/', import.meta.url)
const STYLE = new URL('../src/styles/guide.css', import.meta.url)

/**
 * Renders the guides of `docs/guide` under `/guide/`, with their images: `owner.de.md` becomes
 * `/guide/owner.de.html`.
 */
export function guide(): Plugin {
  return {
    name: 'suncellar:guide',
    apply: 'build',
    async generateBundle() {
      const emit = (fileName: string, source: string | Uint8Array) =>
        this.emitFile({ type: 'asset', fileName: `guide/${fileName}`, source })
      for (const name of await readdir(SOURCE)) {
        if (!name.endsWith('.md')) continue
        const language = name.endsWith('.de.md') ? 'de' : 'en'
        const text = await readFile(new URL(name, SOURCE), 'utf8')
        emit(name.replace(/md$/, 'html'), guidePage(text, language))
      }
      for (const name of await readdir(new URL('pictures/', SOURCE)))
        emit(`pictures/${name}`, await readFile(new URL(`pictures/${name}`, SOURCE)))
      emit('guide.css', await readFile(STYLE, 'utf8'))
    },
  }
}
