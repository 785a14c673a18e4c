import { I18nProvider } from '@lingui/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { i18n } from '@/lib/i18n/i18n'
import { queryClient } from '@/lib/query-client'
import { Notifications } from './notifications'
import type { router as appRouter } from './router'

export function App({ router }: { router: typeof appRouter }) {
  return (
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Notifications />
      </QueryClientProvider>
    </I18nProvider>
  )
}
