import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { pageCount, pageOf } from '@/components/ui/pages'
import { Pagination } from '@/components/ui/pagination'
import type { HeldGrant } from '@/lib/api/grants'
import { cn } from '@/lib/cn'
import { PAGE_SIZE } from '@/lib/constants'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import type { SiteDay } from '@/lib/site-day'
import { acceptGrant } from '../api'
import { customerOf, HOLDERS_ENDING } from '../model'
import { EndGrant } from './end-grant'
import { GrantFacts } from './grant-facts'

type Props = { held: readonly HeldGrant[]; today: SiteDay; manages: boolean }

/** What somebody holds, was offered or has asked for, ten at a time. */
export function HeldList({ held, today, manages }: Props) {
  const { t } = useT()
  const [chosen, setChosen] = useState(1)
  const { current, items } = pageOf(held, chosen, PAGE_SIZE)
  return (
    <>
      <ul className="divide-y divide-line">
        {items.map((grant) => (
          <HeldRow key={grant.id} grant={grant} today={today} manages={manages} />
        ))}
      </ul>
      <Pagination
        label={t('grants.held')}
        page={current}
        count={pageCount(held.length, PAGE_SIZE)}
        onChange={setChosen}
      />
    </>
  )
}

type RowProps = { grant: HeldGrant; today: SiteDay; manages: boolean }

function HeldRow({ grant, today, manages }: RowProps) {
  const { t } = useT()
  const name = customerOf(grant) || grant.sn
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <p className="font-medium wrap-anywhere">{name}</p>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <GrantFacts grant={grant} today={today} />
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
                label={t('grants.deed_label', { deed: t('grants.accept'), name, sn: grant.sn })}
              />
            )}
            <EndGrant id={grant.id} sn={grant.sn} name={name} ending={HOLDERS_ENDING[grant.state]} />
          </div>
        )}
      </div>
    </li>
  )
}

function Accept({ grant, label }: { grant: HeldGrant; label: string }) {
  const { t, locale } = useT()
  const accept = useMutation({
    mutationFn: () => acceptGrant(grant.id),
    onSuccess: () => notify.success(t('grants.accept.done', { sn: grant.sn })),
    onError: (error) => notify.error(refusalText(error, t, locale)),
  })
  return (
    <Button size="s" aria-label={label} busy={accept.isPending} onClick={() => accept.mutate()}>
      {t('grants.accept')}
    </Button>
  )
}
