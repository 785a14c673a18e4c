import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card } from '@/components/ui/card'
import { textLinkStyle } from '@/components/ui/text-link'
import { formatDateTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { siteTimeOf } from '@/lib/site-day'
import { pastBlocksQuery } from '../data'

/** The results of the last blocks, from what was measured in them. */
export function OutcomesCard({ sn }: { sn: string }) {
  const { t, locale } = useT()
  const { data: lines } = useQuery(pastBlocksQuery(sn, locale))
  return (
    <Card title={t('plan.past')} aria-busy={!lines}>
      {lines?.length === 0 && <p className="text-md text-muted">{t('plan.past.none')}</p>}
      <ol className="divide-y divide-line">
        {lines?.map(({ id, time, text }) => {
          // Already in the site's local time.
          const at = siteTimeOf(time)
          return (
            <li key={id} className="py-2.5 text-md">
              <p className="num text-xs text-muted">
                {at === null ? time : formatDateTime(at, { locale, timeZone: 'UTC' })}
              </p>
              <p className="wrap-anywhere">{text}</p>
            </li>
          )
        })}
      </ol>
      <Link
        to="/settings"
        search={{ part: 'journal', sn }}
        className={`${textLinkStyle} mt-3 inline-flex min-h-6 items-center text-md`}
      >
        {t('plan.past.journal')}
      </Link>
    </Card>
  )
}
