import { Outlet } from '@tanstack/react-router'
import { Languages } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Wordmark } from '@/components/ui/logo'
import { LOCALES } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { Footer } from '../footer'
import { useLanguage } from '../use-language'
import { AuthTopBar } from './auth-top-bar'
import { DayCurve } from './day-curve'
import { offeredLocale } from './offered-locale'

/** The layout of the pages before login: the product on one side, the form on the other. */
export function AuthLayout() {
  return (
    <div className="grid min-h-dvh lg:grid-cols-[1.15fr_1fr]">
      <ProductPanel />
      <div className="flex min-w-0 flex-col">
        <AuthTopBar />
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto flex w-full max-w-115 flex-1 flex-col justify-center px-5 py-8 outline-none sm:py-10"
        >
          <LanguageOffer />
          <Outlet />
        </main>
        <Footer className="px-4 pb-2 lg:pb-4" />
        <DayCurve className="pointer-events-none h-36 w-full lg:hidden" />
      </div>
    </div>
  )
}

/** One press for who reads another language than the German of a first visit. */
function LanguageOffer() {
  const { locale, choose } = useLanguage()
  const [offered] = useState(() => offeredLocale())
  if (offered === null || offered === locale) return null
  return (
    <Button variant="outline" size="s" className="mb-6 self-start" onClick={() => choose(offered)}>
      <Languages aria-hidden className="size-4" />
      <span lang={offered}>{LOCALES[offered]}</span>
    </Button>
  )
}

function ProductPanel() {
  const { t } = useT()
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col overflow-hidden bg-surface p-12 lg:flex">
      <Wordmark className="text-2xl" />
      <div className="relative z-10 flex max-w-lg flex-1 flex-col justify-end pb-[46vh]">
        <p className="text-slogan leading-[1.08] font-semibold tracking-tight text-balance">
          {t('auth_side.claim')
            .split(/(?<=\.) /)
            .map((sentence) => (
              // Lines break between sentences only.
              <span key={sentence} className="mr-[0.25em] inline-block">
                {sentence}
              </span>
            ))}
        </p>
        <p className="mt-5 max-w-md text-2xl text-muted">{t('auth_side.text')}</p>
      </div>
      <DayCurve className="absolute inset-x-0 bottom-0 h-[42vh] w-full" />
    </aside>
  )
}
