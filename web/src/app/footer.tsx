import { useQuery } from '@tanstack/react-query'
import { configQuery } from '@/lib/api/queries'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { ExternalLink } from './external-link'

const LINKS = ['contact', 'imprint', 'privacy'] as const

/** Contact, imprint and privacy policy: pages outside the portal, named by the installation's configuration. */
export function Footer({ className }: { className?: string }) {
  const { t } = useT()
  const { data } = useQuery(configQuery)
  return (
    <footer className={cn('text-[13px] text-muted', className)}>
      <nav aria-label={t('footer.label')}>
        <ul className="flex flex-wrap justify-center gap-x-2">
          {LINKS.map((link) => (
            <li key={link}>
              <ExternalLink
                href={data?.links[link]}
                className="inline-flex min-h-11 items-center px-2 underline-offset-4 hover:text-text hover:underline"
              >
                {t(`footer.${link}`)}
              </ExternalLink>
            </li>
          ))}
        </ul>
      </nav>
    </footer>
  )
}
