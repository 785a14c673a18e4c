import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { FormProblem } from '@/components/ui/form-problem'
import { QrCode } from '@/components/ui/qr-code'
import { textLinkStyle } from '@/components/ui/text-link'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { beginTotp, confirmTotp, type TotpShown } from './data'
import { FactorField } from './factor-field'
import { checkFactor, grouped } from './model'
import { RecoveryCodes } from './recovery-codes'

type Step = { shown?: TotpShown; codes?: readonly string[] }

/** Sets up the second factor in steps: password, secret, first code, recovery codes. */
export function SetUpTotp({ onDone }: { onDone: () => void }) {
  const [{ shown, codes }, setStep] = useState<Step>({})
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} />
  if (shown) return <Confirm shown={shown} onConfirmed={(codes) => setStep({ codes })} />
  return <Begin onBegun={(shown) => setStep({ shown })} />
}

function Begin({ onBegun }: { onBegun: (shown: TotpShown) => void }) {
  const { t } = useT()
  const form = useForm({
    initial: { password: '' },
    check: ({ password }) => ({ password: password === '' ? 'required' : null }),
    send: async ({ password }) => onBegun(await beginTotp(password)),
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <CurrentPasswordField {...form.text('password')} />
      <Button type="submit" busy={form.busy} className="sm:justify-self-end">
        {t('totp.begin')}
      </Button>
    </form>
  )
}

type ConfirmProps = { shown: TotpShown; onConfirmed: (codes: readonly string[]) => void }

function Confirm({ shown: { secret, uri, qr }, onConfirmed }: ConfirmProps) {
  const { t } = useT()
  const form = useForm({
    initial: { totp: '' },
    check: checkFactor,
    send: async ({ totp }) => onConfirmed(await confirmTotp(totp)),
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <p className="text-md">{t('totp.scan')}</p>
      <QrCode {...qr} label={t('totp.qr')} />
      <div className="grid gap-1.5 text-md">
        <p className="text-muted">{t('totp.type')}</p>
        <p className="num rounded-lg border border-line bg-surface-2 px-3 py-2 break-words">
          {grouped(secret)}
        </p>
        <p>
          <a href={uri} className={textLinkStyle}>
            {t('totp.same_device')}
          </a>
        </p>
      </div>
      <FactorField {...form.text('totp')} hint={t('totp.code.hint')} />
      <Button type="submit" busy={form.busy} className="sm:justify-self-end">
        {t('totp.confirm')}
      </Button>
    </form>
  )
}
