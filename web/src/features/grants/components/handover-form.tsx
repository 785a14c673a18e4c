import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { Field } from '@/components/ui/field'
import { FormButtons } from '@/components/ui/form-buttons'
import { FormProblem } from '@/components/ui/form-problem'
import { Select } from '@/components/ui/select'
import type { System } from '@/lib/data/systems'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { checkEmail } from '@/lib/validation/email'
import { handOver } from '../data'

const STEPS = ['mail', 'moment', 'history', 'access'] as const

type Props = { systems: readonly System[]; onClose: () => void }

/** Explains the consequences, and asks for the password. */
export function HandoverForm({ systems, onClose }: Props) {
  const { t } = useT()
  const form = useForm({
    initial: { sn: systems[0]?.sn ?? '', email: '', password: '' },
    check: ({ email, password }) => ({
      email: checkEmail(email),
      password: password === '' ? 'required' : null,
    }),
    send: async ({ sn, email, password }) => {
      await handOver({ sn, email: email.trim(), password })
      notify.success(t('grants.handover.done', { email: email.trim() }))
      onClose()
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <ul className="grid list-disc gap-1.5 pl-5 text-md">
        {STEPS.map((step) => (
          <li key={step}>{t(`grants.handover.step.${step}`)}</li>
        ))}
      </ul>
      <FormProblem form={form} />
      {systems.length > 1 && (
        <Select
          {...form.text('sn')}
          label={t('grants.system')}
          options={systems.map(({ sn }) => ({ value: sn, label: sn }))}
        />
      )}
      <Field
        {...form.text('email')}
        label={t('grants.handover.email')}
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <CurrentPasswordField {...form.text('password')} />
      <FormButtons submit={t('grants.handover.submit')} busy={form.busy} danger onCancel={onClose} />
    </form>
  )
}
