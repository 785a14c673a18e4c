import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { Wordmark } from '@/components/ui/logo'
import { configQuery } from '@/lib/data/config'
import { useT } from '@/lib/i18n/use-t'
import { ExternalLink } from '../external-link'
import { Preferences } from '../preferences'

const linkStyle =
  'inline-flex min-h-11 items-center rounded-xl px-3 text-sm font-medium text-muted transition-colors hover:bg-surface-2 hover:text-text aria-[current=page]:text-text'

/** Logo, navigation, language and theme. A partner's login has no navigation (specification 2). */
export function AuthTopBar() {
  const atPartner = useLocation({ select: ({ pathname }) => pathname === '/login_cleverpv' })
  return (
    <header className="flex flex-wrap items-center justify-between gap-x-2 px-2 pt-3 sm:px-4 lg:flex-nowrap lg:px-6">
      <Wordmark className="pl-3 text-2xl lg:hidden" />
      {!atPartner && <Navigation />}
      <div className="ml-auto">
        <Preferences />
      </div>
    </header>
  )
}

function Navigation() {
  const { t } = useT()
  const { data } = useQuery(configQuery)
  return (
    <nav aria-label={t('auth_bar.label')} className="order-1 w-full lg:order-none lg:w-auto">
      <ul className="flex flex-wrap items-center">
        <li>
          <ExternalLink href={data?.links.homepage} className={linkStyle}>
            {t('auth_bar.homepage')}
          </ExternalLink>
        </li>
        <li>
          <Link to="/register" className={linkStyle}>
            {t('auth_bar.register')}
          </Link>
        </li>
        <li>
          <Link to="/login" className={linkStyle}>
            {t('auth_bar.login')}
          </Link>
        </li>
      </ul>
    </nav>
  )
}
