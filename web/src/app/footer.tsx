import { useQuery } from '@tanstack/react-query'
import { cn } from '@/lib/cn'
import { configQuery } from '@/lib/data/config'
import type { Locale } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { useSession } from '@/lib/session/session-store'
import { ExternalLink } from './external-link'

const LINKS = ['contact', 'imprint', 'privacy'] as const
const LINK = 'inline-flex min-h-11 items-center px-2 underline-offset-4 hover:text-text hover:underline'

/** Links to the guide, contact, imprint and privacy policy; the installation configures all but the guide. */
export function Footer({ className }: { className?: string }) {
  const { t, locale } = useT()
  const { data } = useQuery(configQuery)
  const electrician = useSession(({ role }) => role === 'electrician')
  return (
    <footer className={cn('text-sm text-muted', className)}>
      <nav aria-label={t('footer.label')}>
        <ul className="flex flex-wrap justify-center gap-x-2">
          <li>
            <ExternalLink href={guideOf(electrician ? 'electrician' : 'owner', locale)} className={LINK}>
              {t('footer.guide')}
            </ExternalLink>
          </li>
          {LINKS.map((link) => (
            <li key={link}>
              <ExternalLink href={data?.links[link]} className={LINK}>
                {t(`footer.${link}`)}
              </ExternalLink>
            </li>
          ))}
        </ul>
      </nav>
    </footer>
  )
}

/** The guide exists in German and English (`docs/guide`); the build turns it into pages. */
const guideOf = (reader: 'owner' | 'electrician', locale: Locale) =>
  `/guide/${reader}${locale === 'de' ? '.de' : ''}.html`
