import { I18nProvider } from '@lingui/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Toaster } from '@/components/ui/toaster'
import { i18n } from '@/lib/i18n/i18n'
import { queryClient } from '@/lib/query-client'
import type { router as appRouter } from './router'

export function App({ router }: { router: typeof appRouter }) {
  return (
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toaster />
      </QueryClientProvider>
    </I18nProvider>
  )
}
