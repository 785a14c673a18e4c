import { describe, expect, test } from 'vitest'
import { textParts } from './text-parts.ts'

const LONG = 'x'.repeat(1_000)

/** Each module shows the text of its own name, which is long enough for a file of its own. */
function partsOf(sources: Record<string, string>, short: readonly string[] = []) {
  const texts = Object.fromEntries(
    Object.keys(sources).map((path) => {
      const name = path.replace(/\.tsx?$/, '')
      return [`text.${name}`, short.includes(name) ? 'short' : LONG]
    }),
  )
  const shown = Object.entries(sources).map(
    ([path, code]) => [path, `${code}\nt('text.${path.replace(/\.tsx?$/, '')}')`] as const,
  )
  return Object.fromEntries(textParts(new Map(shown), texts, 'main.ts'))
}

describe('a text', () => {
  test('comes with the entry if a static import shows it', () => {
    expect(partsOf({ 'main.ts': "import { a } from './a'", 'a.ts': '' })).toEqual({
      'main.ts': ['text.a', 'text.main'],
    })
  })

  test('comes with the module that is imported on demand, and with what that imports', () => {
    expect(
      partsOf({
        'main.ts': "const page = () => import('@/page')",
        'page.tsx': "import {\n  a,\n} from './a'",
        'a.ts': '',
      }),
    ).toEqual({ 'main.ts': ['text.main'], 'page.tsx': ['text.a', 'text.page'] })
  })

  test('comes with each page that shows it', () => {
    expect(
      partsOf({
        'main.ts': "import('./one'), import('./two')",
        'one.ts': "import { a } from './a'",
        'two.ts': "import { a } from './a'",
        'a.ts': '',
      }),
    ).toMatchObject({ 'one.ts': ['text.a', 'text.one'], 'two.ts': ['text.a', 'text.two'] })
  })

  test('is not loaded again by a part of the page that already has it', () => {
    expect(
      partsOf({
        'main.ts': "import('./page')",
        'page.ts': "import { a } from './a'\nimport('./part')",
        'part.ts': "import { a } from './a'",
        'a.ts': '',
      }),
    ).toMatchObject({ 'page.ts': ['text.a', 'text.page'], 'part.ts': ['text.part'] })
  })

  test('is loaded again if one of two pages with this part lacks it', () => {
    expect(
      partsOf({
        'main.ts': "import('./one'), import('./two')",
        'one.ts': "import { a } from './a'\nimport('./part')",
        'two.ts': "import('./part')",
        'part.ts': "import { a } from './a'",
        'a.ts': '',
      }),
    ).toMatchObject({ 'part.ts': ['text.a', 'text.part'] })
  })

  test('does not come with a module of which only types are imported', () => {
    expect(
      partsOf({
        'main.ts': "import type { A } from './a'\nimport('./page')",
        'page.ts': "import { a } from './a'",
        'a.ts': '',
      }),
    ).toMatchObject({ 'main.ts': ['text.main'], 'page.ts': ['text.a', 'text.page'] })
  })

  test('of a small part comes with whoever loads the part', () => {
    expect(partsOf({ 'main.ts': "import('./part')", 'part.ts': '' }, ['part'])).toEqual({
      'main.ts': ['text.main', 'text.part'],
    })
  })
})
