import { Checkbox } from '@/components/ui/checkbox'
import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { FieldError } from '@/components/ui/field-frame'
import { FormButtons } from '@/components/ui/form-buttons'
import { FormProblem } from '@/components/ui/form-problem'
import type { System } from '@/lib/data/systems'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import type { SiteDay } from '@/lib/site-day'
import { invite } from '../data'
import {
  checkDay,
  checkInvitation,
  INSTALLER_SCOPES,
  type InvitationForm,
  invitationBody,
  MEMBER_SCOPES,
  selectableDays,
} from '../model'
import { ScopeChoice } from './scope-choice'
import { ShareContact } from './share-contact'
import { UntilField } from './until-field'

type FormProps = {
  to: 'electrician' | 'user'
  /** Systems to which the person may give access. */
  systems: readonly System[]
  today: SiteDay
  onClose: () => void
}

type Props = FormProps & { open: boolean }

/** Gives access by e-mail invitation. */
export function InviteDialog({ open, ...form }: Props) {
  const { t } = useT()
  const { to, onClose } = form
  return (
    <Dialog
      open={open}
      tall
      onOpenChange={(next) => !next && onClose()}
      title={t(to === 'user' ? 'grants.invite_member.title' : 'grants.invite.title')}
      description={t(to === 'user' ? 'grants.invite_member.text' : 'grants.invite.text')}
    >
      <InviteForm {...form} />
    </Dialog>
  )
}

function InviteForm({ to, systems, today, onClose }: FormProps) {
  const { t } = useT()
  const household = to === 'user'
  const form = useForm<InvitationForm>({
    initial: {
      email: '',
      scope: household ? 'look' : 'service',
      until: household ? '' : selectableDays(today).usual,
      systems: systems.map(({ sn }) => sn).join(),
      contact: false,
      password: '',
    },
    check: (values) => {
      const wrong = household && values.until === '' ? null : checkDay(values.until, today)
      return { ...checkInvitation(values), until: wrong && t(`grants.until.${wrong}`) }
    },
    send: async (values) => {
      await invite(invitationBody(values))
      notify.success(t('grants.invited', { email: values.email.trim() }))
      onClose()
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <Field
        {...form.text('email')}
        label={t('grants.email')}
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <ScopeChoice
        field={form.text('scope')}
        label={t('grants.scope')}
        scopes={household ? MEMBER_SCOPES : INSTALLER_SCOPES}
        owner
      />
      {systems.length > 1 && <SystemChoice field={form.text('systems')} systems={systems} set={form.set} />}
      <UntilField field={form.text('until')} today={today} optional={household} />
      {!household && (
        <ShareContact sn={form.values.systems} checked={form.values.contact} onChange={form.set} />
      )}
      <CurrentPasswordField {...form.text('password')} />
      <FormButtons submit={t('grants.invite.submit')} busy={form.busy} onCancel={onClose} />
    </form>
  )
}

type ChoiceProps = {
  field: { value: string; error: string | undefined }
  systems: readonly System[]
  set: (name: 'systems', value: string) => void
}

/** Chooses systems; the form stores them separated by commas. */
function SystemChoice({ field: { value, error }, systems, set }: ChoiceProps) {
  const { t } = useT()
  const chosen = value.split(',').filter(Boolean)
  const toggle = (sn: string) =>
    set('systems', (chosen.includes(sn) ? chosen.filter((one) => one !== sn) : [...chosen, sn]).join())
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t('grants.systems')}</legend>
      <div className="mt-1 max-h-48 overflow-y-auto">
        {systems.map(({ sn, phase }) => (
          <Checkbox
            key={sn}
            checked={chosen.includes(sn)}
            aria-invalid={error ? true : undefined}
            onChange={() => toggle(sn)}
            label={
              <>
                <span className="num font-medium break-all">{sn}</span>{' '}
                <span className="text-sm text-muted">{t('systems.phase', { phase })}</span>
              </>
            }
          />
        ))}
      </div>
      <FieldError id="grant-systems-error">{error}</FieldError>
    </fieldset>
  )
}
