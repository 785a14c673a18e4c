import { expect, test } from 'vitest'
import { plainLetters } from './plain-letters'

test.each([
  ['Łukasz', 'lukasz'],
  ['Đurđa Šimić', 'durda simic'],
  ['Weiß, Jörg', 'weiss, jorg'],
])('%s is found by "%s"', (text, typed) => {
  expect(plainLetters(text)).toBe(typed)
})
