import { expect, test } from 'vitest'
import { iconModule, importEach } from './lean-icons.ts'

test('each icon is imported from its own file, and types are unchanged', () => {
  const files = new Map([['Trash2', './icons/trash-2.mjs']])
  expect(importEach(' Trash2, type LucideIcon ', files)).toMatch(
    /^import Trash2 from '\/.*\/icons\/trash-2\.mjs';import type \{ LucideIcon \} from 'lucide-react'$/,
  )
  expect(() => importEach('Trsh', files)).toThrow('lucide-react has no icon Trsh')
})

test('only the shapes of an icon remain', () => {
  expect(iconModule([['path', { d: 'M0 0' }]])).toMatch(/drawnIcon\(\[\["path",\{"d":"M0 0"\}\]\]\)$/)
})
