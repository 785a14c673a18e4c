import { TriangleAlert } from 'lucide-react'
import type { GivenGrant } from '@/lib/data/grants'
import { useT } from '@/lib/i18n/use-t'
import type { SiteDay } from '@/lib/site-day'
import { groupsOf, mergeGrants, nameOf } from '../model'
import { Contact } from './contact'
import { GivenGrantRow } from './given-grant-row'

type Props = { grants: readonly GivenGrant[]; today: SiteDay }

/** Grants or requests of one person, one for each system of the household. */
type Group = [GivenGrant, ...GivenGrant[]]

/** Decisions for the owner; shown before everything else. */
export function WaitingCard({ grants, today }: Props) {
  const { t } = useT()
  if (grants.length === 0) return null
  const groups = groupsOf(grants, ({ email, scope, state }) => `${state} ${scope} ${email}`) as Group[]
  return (
    <section aria-labelledby="grants-waiting" className="rounded-2xl border border-warn/40 bg-warn-bg p-5">
      <h2 id="grants-waiting" className="card-heading flex items-center gap-2">
        <TriangleAlert aria-hidden className="size-4.5 shrink-0 text-warn" />
        {t('grants.waiting', { count: groups.length })}
      </h2>
      <ul className="mt-2 divide-y divide-line-strong">
        {groups.map((group) => (
          <Decision key={group[0].id} group={group} today={today} />
        ))}
      </ul>
    </section>
  )
}

function Decision({ group, today }: { group: Group; today: SiteDay }) {
  const { t } = useT()
  const grant = mergeGrants(group)
  const messages = [...new Set(group.flatMap(({ message }) => message ?? []))]
  return (
    <li className="py-3 last:pb-0">
      <p className="font-medium wrap-anywhere">{nameOf(grant)}</p>
      <p className="mt-0.5 mb-1.5 text-md">
        {t(grant.state === 'asked' ? 'grants.waiting.asked' : 'grants.waiting.unconfirmed', { sn: grant.sn })}
      </p>
      {messages.map((message) => (
        <blockquote key={message} className="mb-2 border-l-2 border-line-strong pl-3 text-md wrap-anywhere">
          {message}
        </blockquote>
      ))}
      <Contact {...grant} />
      <GivenGrantRow grant={grant} ids={group.map(({ id }) => id)} today={today} />
    </li>
  )
}
