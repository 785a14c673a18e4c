import { activateLocale } from '@/lib/i18n/i18n'
import type { Locale } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { failureTexts, loadChunk } from '@/lib/load-chunk'
import { notify } from '@/lib/notify'

/** The language and its setter; a catalogue that fails to load is reported and changes nothing. */
export function useLanguage() {
  const { t, locale } = useT()
  const choose = (chosen: Locale) => {
    loadChunk(() => activateLocale(chosen)).catch((error: unknown) => {
      const { title, text } = failureTexts(error)
      notify.error(t(title), { description: t(text) })
    })
  }
  return { locale, choose }
}
