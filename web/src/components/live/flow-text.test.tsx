import { I18nProvider } from '@lingui/react'
import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { activateLocale, i18n } from '@/lib/i18n/i18n'
import type { Locale } from '@/lib/i18n/locales'
import { liveEntry } from '@/lib/testing/live'
import { FlowText } from './flow-text'
import { flowsOf } from './model/flow'
import { readingOf } from './model/reading'

const NOON = readingOf(liveEntry())

async function lines(locale: Locale) {
  await activateLocale(locale)
  render(
    <I18nProvider i18n={i18n}>
      <FlowText reading={NOON} flows={flowsOf(NOON)} gridWord="negative" batteryWord="negative" />
    </I18nProvider>,
  )
  return screen.getAllByRole('listitem').map((item) => item.textContent?.replaceAll('\u202f', ' '))
}

describe('the energy flow as text', () => {
  it.each([
    ['de', 'Von der Photovoltaik ins Haus: 760 W', 'Von der Photovoltaik ins Netz: 4,3 kW'],
    ['en', 'From the solar panels to the house: 760 W', 'From the solar panels to the grid: 4.3 kW'],
    ['pl', 'Z fotowoltaiki do domu: 760 W', 'Z fotowoltaiki do sieci: 4,3 kW'],
    ['fr', 'Du photovoltaïque vers la maison : 760 W', 'Du photovoltaïque vers le réseau : 4,3 kW'],
    ['hr', 'Iz solarnih panela u kuću: 760 W', 'Iz solarnih panela u mrežu: 4,3 kW'],
  ] as const)('has declined words: %s', async (locale, house, grid) => {
    expect(await lines(locale)).toEqual(expect.arrayContaining([house, grid]))
  })
})
