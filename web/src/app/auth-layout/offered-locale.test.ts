import { describe, expect, it } from 'vitest'
import { offeredLocale } from './offered-locale'

describe('a language other than German', () => {
  it.each([
    [['en-GB', 'de'], 'en'],
    [['nl-NL', 'fr'], 'fr'],
    [['de-AT', 'hr'], null],
    [['ja'], null],
    [[], null],
  ] as const)('is offered to who reads %j: %s', (languages, offered) => {
    expect(offeredLocale(languages, null)).toBe(offered)
  })

  it('is not offered to who has chosen one', () => {
    expect(offeredLocale(['en-GB'], 'de')).toBeNull()
  })
})
