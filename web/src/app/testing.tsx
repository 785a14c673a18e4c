import { createMemoryHistory } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { idleStatus } from '@/features/update/testing'
import { activateLocale } from '@/lib/i18n/i18n'
import { queryClient } from '@/lib/query-client'
import { startSession } from '@/lib/session/session-store'
import type { Role } from '@/lib/session/tokens'
import { emptyGraph, liveOf } from '@/lib/testing/live'
import { noForecast, planOf } from '@/lib/testing/plan'
import { server } from '@/lib/testing/server'
import { settingsEntry } from '@/lib/testing/settings'
import { App } from './app'
import { makeRouter } from './router'

const LINKS = ['homepage', 'contact', 'imprint', 'privacy', 'terms']

/** A server with these systems. `null`: the list cannot be loaded. */
export function serveSystems(serials: string[] | null) {
  const systems = serials?.map((sn, index) => ({
    sn,
    phase: index + 1,
    master_version: '4.12',
    access: 'owner',
  }))
  server.use(
    http.get('*/config.json', () =>
      HttpResponse.json({
        links: Object.fromEntries(LINKS.map((name) => [name, `https://maker.test/${name}`])),
      }),
    ),
    http.get('*/api/auth/usr_sn/', () => (systems ? HttpResponse.json(systems) : HttpResponse.error())),
    http.get('*/api/auth/data/', () => HttpResponse.json(liveOf(serials ?? []))),
    http.get('*/api/auth/group/', () => HttpResponse.json([])),
    http.get('*/api/auth/stream/', () => HttpResponse.error()),
    http.get('*/api/auth/graph/', () => HttpResponse.json(emptyGraph)),
    http.get('*/api/auth/energy_chart/', () => HttpResponse.json([{ sn: '-1', rows: [] }])),
    http.get('*/api/auth/tariff/', () =>
      HttpResponse.json(serials?.map((sn) => ({ sn, currency: 'EUR', tariffs: [] })) ?? []),
    ),
    http.get('*/api/auth/grant/', () => HttpResponse.json({ given: [], held: [], handovers: [] })),
    http.get('*/api/auth/commissioning/protocol/', () => HttpResponse.json([])),
    http.get('*/api/auth/alarm/', () =>
      HttpResponse.json({ page: 1, pages: 0, total: 0, alarms: [], mail: 'at_once' }),
    ),
    http.get('*/api/auth/plan/', ({ request }) =>
      HttpResponse.json(planOf({ sn: new URL(request.url).searchParams.get('sn') ?? '' })),
    ),
    http.get('*/api/auth/forecast/', () => HttpResponse.json(noForecast)),
    http.get('*/api/auth/savings/', () => HttpResponse.json([])),
    http.get('*/api/auth/settings/', () => HttpResponse.json(serials?.map((sn) => settingsEntry(sn)) ?? [])),
    http.get('*/api/v1/has_update', () => HttpResponse.json(idleStatus())),
    http.get('*/api/v1/history/', () => HttpResponse.json([])),
    http.post('*/api/auth/logout/', () => new HttpResponse(null, { status: 204 })),
  )
}

export const logIn = (role: Role) => startSession({ access: 'access', refresh: 'refresh', role })

/** The final route of a path, without rendering. */
export async function openRoute(path: string) {
  const router = makeRouter({ history: createMemoryHistory({ initialEntries: [path] }) })
  await router.load()
  return router
}

/** Renders the whole app in German at this path. */
export async function openApp(path: string) {
  queryClient.clear()
  queryClient.setDefaultOptions({ queries: { ...queryClient.getDefaultOptions().queries, retryDelay: 0 } })
  await activateLocale('de')
  const router = await openRoute(path)
  render(<App router={router} />)
  return router
}
