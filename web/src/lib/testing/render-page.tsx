import { I18nProvider } from '@lingui/react'
import { QueryClientProvider } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { activateLocale, i18n } from '../i18n/i18n'
import { queryClient } from '../query-client'

/** Renders one page in German. `path()` returns the current path; there are no other pages. */
export async function renderPage(Page: () => ReactNode, at = '/here') {
  await activateLocale('de')
  queryClient.clear()
  const root = createRootRoute()
  const here = createRoute({ getParentRoute: () => root, path: '/here', component: Page })
  const elsewhere = createRoute({ getParentRoute: () => root, path: '$', component: () => null })
  const router = createRouter({
    routeTree: root.addChildren([here, elsewhere]),
    history: createMemoryHistory({ initialEntries: [at] }),
  })
  render(
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={queryClient}>
        {/* Not the app's router, whose type is registered. */}
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </I18nProvider>,
  )
  await screen.findByRole('heading', { level: 1 })
  return { path: () => router.state.location.pathname }
}
