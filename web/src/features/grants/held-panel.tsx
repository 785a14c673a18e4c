import { AskAccess } from '@/components/access/ask-access'
import { Card } from '@/components/ui/card'
import type { Grants, InstallerScope } from '@/lib/data/grants'
import { householdsIn } from '@/lib/data/held-grants'
import { useT } from '@/lib/i18n/use-t'
import { useSite } from '@/lib/use-site'
import { AskCard } from './components/ask-card'
import { CodeCard } from './components/code-card'
import { WithGrants } from './components/grants-state'
import { HeldList } from './components/held-list'
import { renewable, sortHeldGrants } from './model'

type Props = {
  /** Whether the person manages the company's grants, or only uses them. */
  manages: boolean
}

/** A company's access: invitations, held grants with their last days, and ways to get more. */
export function HeldPanel({ manages }: Props) {
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,8fr)_minmax(0,5fr)]">
      <div className="grid min-w-0 gap-5">
        <WithGrants>{(grants) => <Cards key="grants" grants={grants} manages={manages} />}</WithGrants>
      </div>
      <div className="grid min-w-0 gap-5">
        {manages && <AskCard />}
        <CodeCard />
      </div>
    </div>
  )
}

function Cards({ grants: { held }, manages }: Props & { grants: Grants }) {
  const { t } = useT()
  const { today } = useSite()
  const ordered = sortHeldGrants(held)
  const invitations = ordered.filter(({ state }) => state === 'invited')
  const rest = ordered.filter(({ state }) => state !== 'invited')
  const again = renewable(held, today)
  return (
    <>
      {invitations.length > 0 && (
        <Card
          title={t('grants.invitations', { count: householdsIn(invitations) })}
          description={t('grants.invitations.text')}
        >
          <HeldList held={invitations} today={today} manages={manages} />
        </Card>
      )}
      <Card
        title={t('grants.held')}
        description={t('grants.held.text')}
        action={
          again.length > 1 && (
            <AskAccess
              renewal
              requests={again.map(({ sn, scope }) => ({ sn, scope: scope as InstallerScope }))}
              variant="outline"
              size="s"
            >
              {t('ask.renewal.all', { count: again.length })}
            </AskAccess>
          )
        }
      >
        {rest.length === 0 ? (
          <p className="text-md text-muted">{t('grants.held.none')}</p>
        ) : (
          <HeldList held={rest} today={today} manages={manages} />
        )}
      </Card>
    </>
  )
}
