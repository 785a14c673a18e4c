import { expect, test } from 'vitest'
import { inRem } from './text-in-rem.ts'

test('text sizes in pixels become relative to the browser’s font size', () => {
  expect(inRem('.text-\\[14px\\]{font-size:14px}')).toBe('.text-\\[14px\\]{font-size:0.875rem}')
  expect(inRem('a{color:red;font-size: 12.5px;}')).toBe('a{color:red;font-size: 0.78125rem;}')
  expect(inRem(':root{--text-m: 15px}')).toBe(':root{--text-m: 0.9375rem}')
})

test('other sizes stay', () => {
  const css = '.h-\\[300px\\]{height:300px;border:1px solid;--text-m-gap:var(--space-1)}'
  expect(inRem(css)).toBe(css)
})
