import { useQuery } from '@tanstack/react-query'
import { Card } from '@/components/ui/card'
import type { Grants } from '@/lib/data/grants'
import { systemsQuery } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { useSite } from '@/lib/use-site'
import { WithGrants } from './components/grants-state'
import { HandoverCard } from './components/handover-card'
import { HeldList } from './components/held-list'
import { PeopleCard } from './components/people-card'
import { scopeText } from './components/scope-choice'
import { WaitingCard } from './components/waiting-card'
import { grantableSystems, INSTALLER_SCOPES, isOwn, sectionsOf } from './model'

/** Access to the owner's systems; pending decisions first. */
export function GrantsPanel() {
  return <WithGrants>{(grants) => <Cards key="grants" grants={grants} />}</WithGrants>
}

function Cards({ grants: { given, held, handovers } }: { grants: Grants }) {
  const { t } = useT()
  const { today } = useSite()
  const { data: systems = [] } = useQuery(systemsQuery)
  const { waiting, electricians, household } = sectionsOf(given)
  const forElectricians = grantableSystems(systems, 'electrician')
  const own = systems.filter(isOwn)
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,8fr)_minmax(0,5fr)]">
      <div className="grid min-w-0 gap-5">
        <WaitingCard grants={waiting} today={today} />
        {held.length > 0 && (
          <Card title={t('grants.held_member')} description={t('grants.held_member.text')}>
            <HeldList held={held} today={today} manages />
          </Card>
        )}
        {(forElectricians.length > 0 || electricians.length > 0) && (
          <PeopleCard to="electrician" people={electricians} systems={forElectricians} today={today} />
        )}
        {own.length > 0 && <PeopleCard to="user" people={household} systems={own} today={today} />}
      </div>
      <div className="grid min-w-0 gap-5">
        <ScopesCard />
        {own.length > 0 && <HandoverCard handovers={handovers} systems={own} />}
      </div>
    </div>
  )
}

/** Explains the scopes. */
function ScopesCard() {
  const { t } = useT()
  return (
    <Card title={t('grants.scopes')} description={t('grants.scopes.text')}>
      <dl className="grid gap-3 text-md">
        {INSTALLER_SCOPES.map((scope) => (
          <div key={scope}>
            <dt className="font-medium">{t(`grants.scope.${scope}`)}</dt>
            <dd className="text-sm text-muted">{t(scopeText(scope, true))}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
