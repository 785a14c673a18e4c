import { I18nProvider } from '@lingui/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { Wordmark } from '@/components/ui/logo'
import { Skeleton } from '@/components/ui/skeleton'
import { Toaster } from '@/components/ui/toaster'
import { i18n } from '@/lib/i18n/i18n'
import { queryClient } from '@/lib/query-client'

export function App() {
  return (
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={queryClient}>
        {/* Stands where the router will be. */}
        <main className="mx-auto grid max-w-md gap-6 p-8">
          <h1>
            <Wordmark className="text-[17px]" />
          </h1>
          <Skeleton className="h-40" />
        </main>
        <Toaster />
      </QueryClientProvider>
    </I18nProvider>
  )
}
