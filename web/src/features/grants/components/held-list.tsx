import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { AskAccess } from '@/components/access/ask-access'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { pageCount, pageOf } from '@/components/ui/pages'
import { Pagination } from '@/components/ui/pagination'
import { cn } from '@/lib/cn'
import { PAGE_SIZE } from '@/lib/constants'
import type { HeldGrant, InstallerScope } from '@/lib/data/grants'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { useSession } from '@/lib/session/session-store'
import type { SiteDay } from '@/lib/site-day'
import { acceptGrant } from '../data'
import { customerOf, foundBy, groupsOf, HOLDER_END_ACTIONS, mergeGrants, renewable } from '../model'
import { EndGrant } from './end-grant'
import { GrantFacts } from './grant-facts'

type Props = { held: readonly HeldGrant[]; today: SiteDay; manages: boolean }
type Group = [HeldGrant, ...HeldGrant[]]

/** Invitations of one owner are answered together. */
const keyOf = ({ id, state, household, scope, until_day }: HeldGrant) =>
  state === 'invited' ? `${household} ${scope} ${until_day}` : id

/** Grants that are held, offered or requested, ten per page. */
export function HeldList({ held, today, manages }: Props) {
  const { t } = useT()
  const [chosen, setChosen] = useState(1)
  const [typed, setTyped] = useState('')
  const all = groupsOf<HeldGrant>(held, keyOf) as Group[]
  const groups = foundBy(all, typed)
  const { current, items } = pageOf(groups, chosen, PAGE_SIZE)
  const asksAgain = new Set(renewable(held, today).map(({ id }) => id))
  return (
    <>
      {all.length > PAGE_SIZE && (
        <div className="mb-4 max-w-96">
          <Field
            name="held"
            type="search"
            label={t('grants.held.search')}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
      )}
      {groups.length === 0 && (
        <p className="text-md text-muted" role="status">
          {t('grants.held.no_match')}
        </p>
      )}
      <ul className="divide-y divide-line">
        {items.map((group) => (
          <HeldRow
            key={group[0].id}
            group={group}
            today={today}
            renewable={asksAgain.has(group[0].id)}
            manages={manages}
          />
        ))}
      </ul>
      <Pagination
        label={t('grants.held')}
        page={current}
        count={pageCount(groups.length, PAGE_SIZE)}
        onChange={setChosen}
      />
    </>
  )
}

type RowProps = { group: Group; today: SiteDay; renewable: boolean; manages: boolean }

function HeldRow({ group, today, renewable: again, manages }: RowProps) {
  const { t } = useT()
  const electrician = useSession(({ role }) => role === 'electrician')
  const grant = mergeGrants(group)
  const name = customerOf(grant) || grant.sn
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <p className="font-medium wrap-anywhere">{name}</p>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <GrantFacts grant={grant} today={today} />
          {grant.state === 'asked' && grant.message && (
            <p className="mt-0.5 text-sm text-muted wrap-anywhere">
              {t('ask.yours', { message: grant.message })}
            </p>
          )}
        </div>
        {manages && (
          <div
            className={cn(
              'flex flex-wrap items-center gap-1 sm:-mr-3',
              grant.state !== 'invited' && 'max-sm:-ml-3',
            )}
          >
            {grant.state === 'invited' && (
              <Accept
                grant={grant}
                household={group.length > 1}
                label={t('grants.deed_label', { deed: t('grants.accept'), name, sn: grant.sn })}
              />
            )}
            {electrician && again && (
              <AskAccess
                renewal
                requests={group.map(({ sn, scope }) => ({ sn, scope: scope as InstallerScope }))}
                variant="outline"
                size="s"
                aria-label={t('grants.deed_label', { deed: t('ask.renewal'), name, sn: grant.sn })}
              >
                {t('ask.renewal')}
              </AskAccess>
            )}
            <EndGrant
              ids={group.map(({ id }) => id)}
              sn={grant.sn}
              name={name}
              endAction={HOLDER_END_ACTIONS[grant.state]}
            />
          </div>
        )}
      </div>
    </li>
  )
}

type AcceptProps = { grant: HeldGrant; household: boolean; label: string }

function Accept({ grant, household, label }: AcceptProps) {
  const { t, locale } = useT()
  const accept = useMutation({
    mutationFn: () => acceptGrant(grant.id, household),
    onSuccess: () => notify.success(t('grants.accept.done', { sn: grant.sn })),
    onError: (error) => notify.error(refusalText(error, t, locale)),
  })
  return (
    <Button size="s" aria-label={label} busy={accept.isPending} onClick={() => accept.mutate()}>
      {t('grants.accept')}
    </Button>
  )
}
