import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import type { GivenGrant } from '@/lib/data/grants'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import type { SiteDay } from '@/lib/site-day'
import { changeGrant } from '../data'
import { nameOf, needsDecision, OWNER_END_ACTIONS, OWNERS_DEED } from '../model'
import { ChangeDialog } from './change-dialog'
import { EndGrant } from './end-grant'
import { GrantFacts } from './grant-facts'

type Props = {
  grant: GivenGrant
  /** The grants of all systems in the row. */
  ids?: readonly number[]
  today: SiteDay
}

/** One person's access to one or several systems, with the owner's actions. */
export function GivenGrantRow({ grant, ids = [grant.id], today }: Props) {
  const { t } = useT()
  const [changing, setChanging] = useState(0)
  const [open, setOpen] = useState(false)
  const ownerAction = OWNERS_DEED[grant.state]
  const name = nameOf(grant)
  const label = t('grants.deed_label', { deed: t(`grants.${ownerAction}`), name, sn: grant.sn })
  const change = () => {
    setChanging(changing + 1)
    setOpen(true)
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5">
      <GrantFacts grant={grant} today={today} />
      <div
        className={cn('flex flex-wrap items-center gap-1 sm:-mr-3', !needsDecision(grant) && 'max-sm:-ml-3')}
      >
        {ownerAction === 'confirm' ? (
          <Confirm grant={grant} household={ids.length > 1} label={label} />
        ) : (
          <Button
            variant={ownerAction === 'approve' ? 'primary' : 'ghost'}
            size="s"
            aria-label={label}
            onClick={change}
          >
            {t(`grants.${ownerAction}`)}
          </Button>
        )}
        <EndGrant ids={ids} sn={grant.sn} name={name} endAction={OWNER_END_ACTIONS[grant.state]} />
      </div>
      {changing > 0 && (
        <ChangeDialog
          key={changing}
          open={open}
          grant={grant}
          household={ids.length > 1}
          today={today}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  )
}

type ConfirmProps = { grant: GivenGrant; household: boolean; label: string }

/** Confirms a grant unchanged, so no dialog is needed. */
function Confirm({ grant, household, label }: ConfirmProps) {
  const { t, locale } = useT()
  const confirm = useMutation({
    mutationFn: () => changeGrant(grant.id, household ? { household } : {}),
    onSuccess: () => notify.success(t('grants.confirm.done', { name: nameOf(grant) })),
    onError: (error) => notify.error(refusalText(error, t, locale)),
  })
  return (
    <Button size="s" aria-label={label} busy={confirm.isPending} onClick={() => confirm.mutate()}>
      {t('grants.confirm')}
    </Button>
  )
}
