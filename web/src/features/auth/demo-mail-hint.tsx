import { useQuery } from '@tanstack/react-query'
import { textLinkStyle } from '@/components/ui/text-link'
import { configQuery } from '@/lib/data/config'
import { useT } from '@/lib/i18n/use-t'

/** Links to the demo's mails, which are not really sent. */
export function DemoMailHint() {
  const { t } = useT()
  const { data } = useQuery(configQuery)
  if (!data?.demo) return null
  return (
    <p className="text-md text-muted">
      {t('demo.mail')}{' '}
      <a href="/demo/mail/" className={textLinkStyle}>
        {t('demo.mail_link')}
      </a>
    </p>
  )
}
