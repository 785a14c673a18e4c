import type { ReactNode } from 'react'
import { useT } from '@/lib/i18n/use-t'

type Props = { href: string | undefined; className?: string; children: ReactNode }

/** A link to an external page. Until its address is known it is plain text of the same size. */
export function ExternalLink({ href, className, children }: Props) {
  const { t } = useT()
  if (!href) return <span className={className}>{children}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className={className}>
      {children}
      <span className="sr-only"> {t('footer.new_tab')}</span>
    </a>
  )
}
