import { PageHeading } from '@/components/ui/page-heading'
import { PagePart } from '@/components/ui/page-part'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { useSession } from '@/lib/session/session-store'
import { AlarmsCard } from './alarms-card'
import { MailCard } from './mail-card'
import { useAlarms } from './use-alarms'

/** The alarms of all systems, and the alarm mail setting. */
export function AlarmsPage() {
  const { t } = useT()
  const electrician = useSession(({ role }) => role === 'electrician')
  const { isPending } = useAlarms(ALL_SYSTEMS, 1)
  return (
    <>
      <PageHeading>{t('nav.alarms')}</PageHeading>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,8fr)_minmax(0,5fr)]">
        <div className="grid min-w-0 gap-3">
          <p className="max-w-prose text-md text-muted">{t('alarms.text')}</p>
          <PagePart>
            <AlarmsCard advice={!electrician} heading={false} />
          </PagePart>
        </div>
        {/* Rendered after the list on phones, because the list's height is unknown before. */}
        {!isPending && (
          <PagePart>
            <MailCard />
          </PagePart>
        )}
      </div>
    </>
  )
}
