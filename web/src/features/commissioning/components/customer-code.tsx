import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { QrCode } from '@/components/ui/qr-code'
import type { components } from '@/lib/api/schema'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { checkEmail } from '@/lib/validation/email'
import type { ProtocolBody, useHandOver } from '../data'
import { PdfButton } from './pdf-button'

type Props = {
  protocol: ProtocolBody
  shown: components['schemas']['CustomerCodeShown']
  /** The last day on which it works. */
  until: string
  mail: ReturnType<typeof useHandOver>['mail']
}

/** The code: to be scanned, typed, printed or mailed. It is shown once. */
export function CustomerCode({ protocol, shown: { code, qr }, until, mail }: Props) {
  const { t } = useT()
  return (
    <div className="grid items-start gap-6 sm:grid-cols-[14rem_1fr]">
      <div className="grid gap-2 text-center">
        <QrCode {...qr} label={t('protocol.code.qr')} />
        <p className="num text-md font-semibold wrap-anywhere">{code}</p>
        <p className="num text-sm text-muted">{t('protocol.code.until', { day: until })}</p>
      </div>
      <div className="grid gap-5">
        <div>
          <PdfButton protocol={protocol} code={code} />
          <p className="mt-1.5 text-sm text-muted">{t('protocol.code.pdf.text')}</p>
        </div>
        <MailForm code={code} mail={mail} />
      </div>
    </div>
  )
}

/** The link to an address that the customer names. */
function MailForm({ code, mail }: Pick<Props, 'mail'> & { code: string }) {
  const { t } = useT()
  const form = useForm({
    initial: { email: '' },
    check: ({ email }) => ({ email: checkEmail(email) }),
    send: async ({ email }) => {
      await mail({ email: email.trim(), code })
      notify.success(t('protocol.mail.done', { email: email.trim() }))
      form.reset()
    },
  })
  return (
    <form {...form.form} className="grid gap-3">
      <FormProblem form={form} />
      <Field
        {...form.text('email')}
        label={t('protocol.mail.email')}
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <Button type="submit" variant="outline" busy={form.busy} className="justify-self-start">
        {t('protocol.mail')}
      </Button>
    </form>
  )
}
