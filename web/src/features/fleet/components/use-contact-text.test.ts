import { I18nProvider } from '@lingui/react'
import { renderHook } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'
import { beforeAll, describe, expect, it } from 'vitest'
import { activateLocale, i18n } from '@/lib/i18n/i18n'
import { formatSpan, useContactText } from './use-contact-text'

const MINUTE = 60_000

describe('the duration of an absence', () => {
  it.each([
    [-5, '0 Min.'],
    [12.9 * MINUTE, '12 Min.'],
    [90 * MINUTE, '1 Std.'],
    [3.9 * 1_440 * MINUTE, '3 Tg.'],
  ])('%d ms are %s', (ms, text) => {
    expect(formatSpan(ms, 'de')).toBe(text)
  })
})

describe('the last contact', () => {
  beforeAll(() => activateLocale('de'))
  const now = new Date(2026, 10, 15, 14, 20).getTime()
  const clock = (at: Date) => {
    const wrapper = ({ children }: { children: ReactNode }) => createElement(I18nProvider, { i18n, children })
    return renderHook(() => useContactText(now), { wrapper }).result.current.clock(at.getTime())
  }

  it('is a time today, a date this year, and a month before', () => {
    expect(clock(new Date(2026, 10, 15, 9, 5))).toBe('09:05')
    expect(clock(new Date(2026, 10, 12, 9, 5))).toBe('12.11.')
    expect(clock(new Date(2025, 10, 12, 9, 5))).toBe('2025-11')
  })
})
