import { I18nProvider } from '@lingui/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '@/lib/testing/eventually'
import { LIVE_REFRESH } from '../constants'
import { activateLocale, i18n } from '../i18n/i18n'
import { page } from '../session/page'
import { isAuthenticated, storeTokens } from '../session/tokens'
import { liveEntry, liveOf } from '../testing/live'
import { server } from '../testing/server'
import { withChanges } from './live'
import { liveQuery } from './live-query'
import { LiveUpdates } from './live-updates'
import { useLive } from './use-live'
import 'fake-indexeddb/auto'

function Probe() {
  const { data } = useLive()
  return (
    <>
      <LiveUpdates />
      <p>{data?.entries.A?.PV_power}</p>
    </>
  )
}

const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })

async function show() {
  await activateLocale('de')
  render(
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <Probe />
      </QueryClientProvider>
    </I18nProvider>,
  )
}

beforeEach(async () => {
  await storeTokens({ access: 'ACCESS', refresh: 'REFRESH', role: 'user' })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  server.use(http.get('*/api/auth/stream/', () => new HttpResponse(new ReadableStream())))
})
afterEach(() => {
  vi.useRealTimers()
  client.clear()
})

describe('live data', () => {
  it('are read every 30 s, also while events arrive', async () => {
    let asked = 0
    server.use(
      http.get('*/api/auth/data/', () => {
        asked += 1
        return HttpResponse.json(liveOf(['A']))
      }),
    )
    await show()
    await eventually(() => expect(asked).toBe(1))
    for (let seconds = 0; seconds < 30; seconds += 2) {
      vi.advanceTimersByTime(2_000)
      client.setQueryData(liveQuery('de').queryKey, (live) =>
        withChanges(live ?? { entries: {}, skew: 0 }, { A: liveEntry() }),
      )
    }
    await eventually(() => expect(asked).toBe(2))
  })

  it('are not requested again while a request is pending, so that its failure is noticed', async () => {
    let asked = 0
    let fail: (() => void) | undefined
    const silence = new Promise<void>((resolve) => {
      fail = resolve
    })
    server.use(
      http.get('*/api/auth/data/', async () => {
        asked += 1
        if (asked === 1) return HttpResponse.json(liveOf(['A']))
        await silence
        return HttpResponse.error()
      }),
    )
    await show()
    await eventually(() => expect(client.getQueryState(liveQuery('de').queryKey)?.status).toBe('success'))
    vi.advanceTimersByTime(LIVE_REFRESH)
    await eventually(() => expect(asked).toBe(2))
    vi.advanceTimersByTime(LIVE_REFRESH)
    fail?.()
    await eventually(() => expect(client.getQueryState(liveQuery('de').queryKey)?.status).toBe('error'))
    expect(asked).toBe(2)
  })

  it('end the session if it cannot be renewed, but not without an answer', async () => {
    const goTo = vi.spyOn(page, 'goTo').mockImplementation(() => undefined)
    vi.spyOn(page, 'reload').mockImplementation(() => undefined)
    let refused = false
    server.use(
      http.get('*/api/auth/data/', () =>
        refused
          ? HttpResponse.json({ detail: 'no', code: 'token_invalid' }, { status: 401 })
          : HttpResponse.error(),
      ),
      http.post('*/api/auth/token/refresh/', () =>
        HttpResponse.json({ detail: 'no', code: 'refresh_invalid' }, { status: 401 }),
      ),
      http.post('*/api/auth/logout/', () => new HttpResponse(null, { status: 204 })),
    )
    await show()
    await eventually(() => expect(client.getQueryState(liveQuery('de').queryKey)?.status).toBe('error'))
    expect(isAuthenticated()).toBe(true)
    expect(goTo).not.toHaveBeenCalled()
    refused = true
    vi.advanceTimersByTime(LIVE_REFRESH)
    await eventually(() => expect(goTo).toHaveBeenCalledWith('/logout'))
    expect(isAuthenticated()).toBe(false)
  })
})
