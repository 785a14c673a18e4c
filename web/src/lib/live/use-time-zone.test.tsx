import { I18nProvider } from '@lingui/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { expect, test } from 'vitest'
import { activateLocale, i18n } from '../i18n/i18n'
import { storeTokens } from '../session/tokens'
import { liveEntry, liveOf } from '../testing/live'
import { server } from '../testing/server'
import { useTimeZone } from './use-time-zone'
import 'fake-indexeddb/auto'

function Probe({ sn }: { sn: string | undefined }) {
  return <p>{useTimeZone(sn) ?? 'unknown'}</p>
}

test('is that of the site, and unknown without a system, also after a change of language', async () => {
  await storeTokens({ access: 'ACCESS', refresh: 'REFRESH', role: 'user' })
  server.use(
    http.get('*/api/auth/data/', () =>
      HttpResponse.json({ ...liveOf([]), data: [{ A: liveEntry({ time_zone: 'Europe/Riga' }) }] }),
    ),
  )
  await activateLocale('de')
  render(
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={new QueryClient()}>
        <Probe sn="A" />
        <Probe sn={undefined} />
      </QueryClientProvider>
    </I18nProvider>,
  )
  await screen.findByText('Europe/Riga')
  await act(() => activateLocale('en'))
  expect(screen.getByText('Europe/Riga')).toBeInTheDocument()
  expect(screen.getByText('unknown')).toBeInTheDocument()
})
