import { Link } from '@tanstack/react-router'
import { buttonStyle } from '@/components/ui/button'
import { useT } from '@/lib/i18n/use-t'
import { CentredMessage, CentredPage } from './centred-page'
import { usePageTitle } from './page-title'

/** The root path redirects everybody to their start page. */
export function NotFoundPage() {
  const { t } = useT()
  usePageTitle('not_found.title')
  return (
    <CentredPage>
      <CentredMessage
        mark={
          <p aria-hidden className="num text-poster leading-none font-semibold text-battery-text">
            404
          </p>
        }
        title={t('not_found.title')}
        text={t('not_found.text')}
        action={
          <Link to="/login" className={buttonStyle({ size: 'l' })}>
            {t('not_found.action')}
          </Link>
        }
      />
    </CentredPage>
  )
}
