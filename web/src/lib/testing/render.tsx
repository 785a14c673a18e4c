import { I18nProvider } from '@lingui/react'
import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { activateLocale, i18n } from '../i18n/i18n'

/** Renders in German, with the providers that every component needs. */
export async function renderUi(ui: ReactNode) {
  await activateLocale('de')
  return render(<I18nProvider i18n={i18n}>{ui}</I18nProvider>)
}
