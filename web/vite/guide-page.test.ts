import { expect, test } from 'vitest'
import { guidePage } from './guide-page.ts'

test('a guide is rendered in its language, with its first heading as title', () => {
  const page = guidePage('# Für Besitzer\n\nText', 'de')
  expect(page).toContain('<html lang="de">')
  expect(page).toContain('<title>Für Besitzer</title>')
  expect(page).toContain('<h1>Für Besitzer</h1>\n<p>Text</p>')
})

test('links point to the page of another guide, and images stay where they are', () => {
  const page = guidePage('[English](owner.md)\n\n![A picture](pictures/a.png)', 'de')
  expect(page).toContain('<a href="owner.html">English</a>')
  expect(page).toContain('<img src="pictures/a.png" alt="A picture">')
})
