import { expect, test } from 'vitest'
import { guidePage } from './guide-page.ts'

const bodyOf = (markdown: string) => guidePage(markdown, 'de').match(/<main>\n(.*)\n<\/main>/s)?.[1]

test('a guide becomes a page in its language, with its first heading as title', () => {
  const page = guidePage('# Für Besitzer\n\nText', 'de')
  expect(page).toContain('<html lang="de">')
  expect(page).toContain('<title>Für Besitzer</title>')
})

test('paragraphs, lists, pictures, links and bold words', () => {
  expect(bodyOf('One\nline **bold**')).toBe('<p>One line <strong>bold</strong></p>')
  expect(bodyOf('1. one\n2. two')).toBe('<ol><li>one</li><li>two</li></ol>')
  expect(bodyOf('- one')).toBe('<ul><li>one</li></ul>')
  expect(bodyOf('![A picture](pictures/a.png)')).toBe('<p><img src="pictures/a.png" alt="A picture"></p>')
  expect(bodyOf('[English](owner.md)')).toBe('<p><a href="owner.html">English</a></p>')
})

test('what looks like markup stays text', () => {
  expect(bodyOf('a < b & "c"')).toBe('<p>a &lt; b &amp; &quot;c&quot;</p>')
})
