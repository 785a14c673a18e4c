import { afterEach, expect, it, vi } from 'vitest'
import { makeLanguageUsable } from './usable-language'

/** A browser with this language, and a Croatian page. */
function stubBrowser(language: string) {
  const browser = Object.create({ language }) as Navigator
  vi.stubGlobal('navigator', browser)
  vi.stubGlobal('document', { documentElement: { lang: 'hr' } })
  return browser
}

afterEach(() => vi.unstubAllGlobals())

it.each(['C', 'en-US@posix', ''])(
  'a language that Intl refuses (%s) gives way to that of the page',
  (language) => {
    const browser = stubBrowser(language)
    makeLanguageUsable()
    expect(browser.language).toBe('hr')
    expect(() => new Intl.NumberFormat(browser.language)).not.toThrow()
  },
)

it('any other language stays', () => {
  const browser = stubBrowser('de-AT')
  makeLanguageUsable()
  expect(browser.language).toBe('de-AT')
})
