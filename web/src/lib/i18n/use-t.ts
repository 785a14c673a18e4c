import { useLingui } from '@lingui/react'
import { useCallback } from 'react'
import { DEFAULT_LOCALE, isLocale, type MessageId } from './locales'

export type Translate = (id: MessageId, values?: Record<string, unknown>) => string

/** `t(id)` returns a text in the page's language; `locale` is for lib/format. */
export function useT() {
  const { i18n } = useLingui()
  const { locale } = i18n
  // biome-ignore lint/correctness/useExhaustiveDependencies: the instance stays, its language changes
  const t: Translate = useCallback((id, values) => i18n._(id, values), [i18n, locale])
  return { t, locale: isLocale(locale) ? locale : DEFAULT_LOCALE }
}
