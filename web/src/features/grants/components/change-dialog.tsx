import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { Dialog } from '@/components/ui/dialog'
import { FormButtons } from '@/components/ui/form-buttons'
import { FormProblem } from '@/components/ui/form-problem'
import type { GivenGrant } from '@/lib/data/grants'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import type { SiteDay } from '@/lib/site-day'
import { changeGrant } from '../data'
import {
  checkDay,
  givesMore,
  INSTALLER_SCOPES,
  MEMBER_SCOPES,
  nameOf,
  OWNERS_DEED,
  proposedDay,
} from '../model'
import { ScopeChoice } from './scope-choice'
import { ShareContact } from './share-contact'
import { UntilField } from './until-field'

type FormProps = {
  grant: GivenGrant
  /** The same for whatever else of this person waits at the owner's systems. */
  household: boolean
  today: SiteDay
  onClose: () => void
}

/** Approves, renews or changes: how much, and until when. */
export function ChangeDialog({ open, ...form }: FormProps & { open: boolean }) {
  const { t } = useT()
  const { grant, onClose } = form
  return (
    <Dialog
      open={open}
      tall
      onOpenChange={(next) => !next && onClose()}
      title={t(`grants.${OWNERS_DEED[grant.state]}.title`, { name: nameOf(grant) })}
      description={t('grants.change.text', { sn: grant.sn })}
    >
      <ChangeForm {...form} />
    </Dialog>
  )
}

function ChangeForm({ grant, household: together, today, onClose }: FormProps) {
  const { t } = useT()
  const household = grant.role === 'user'
  const deed = OWNERS_DEED[grant.state]
  const form = useForm({
    initial: {
      scope: grant.scope as string,
      until: household && grant.until_day === null ? '' : proposedDay(grant.until_day, today),
      contact: grant.shares_contact,
      password: '',
    },
    check: (values) => {
      const { until, password } = values
      const wrong = household && until === '' ? null : checkDay(until, today)
      return {
        until: wrong && t(`grants.until.${wrong}`),
        password: givesMore(grant, values) && password === '' ? 'required' : null,
      }
    },
    send: async ({ scope, until, contact, password }) => {
      await changeGrant(grant.id, {
        scope,
        until: until || undefined,
        contact: contact === grant.shares_contact ? undefined : contact,
        household: together || undefined,
        password: password || undefined,
      })
      notify.success(t(`grants.${deed}.done`, { name: nameOf(grant) }))
      onClose()
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <ScopeChoice
        field={form.text('scope')}
        label={t('grants.scope')}
        scopes={household ? MEMBER_SCOPES : INSTALLER_SCOPES}
        owner
      />
      <UntilField field={form.text('until')} today={today} optional={household} />
      {!household && <ShareContact sn={grant.sn} checked={form.values.contact} onChange={form.set} />}
      {givesMore(grant, form.values) && <CurrentPasswordField {...form.text('password')} />}
      <FormButtons submit={t(`grants.${deed}`)} busy={form.busy} onCancel={onClose} />
    </form>
  )
}
