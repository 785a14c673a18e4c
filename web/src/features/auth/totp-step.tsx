import { type ReactNode, useEffect, useRef, useState } from 'react'
import { FactorField } from '@/components/totp/factor-field'
import { checkFactor } from '@/components/totp/model'
import { Button } from '@/components/ui/button'
import { FormProblem } from '@/components/ui/form-problem'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { type Credentials, type Factors, type LoginCallbacks, logInWithPassword } from './log-in'
import { PasskeyLogin } from './passkey-login'

type Props = LoginCallbacks & {
  /** The accepted credentials. */
  credentials: Credentials
  factors: Factors
  onBack: () => void
}

/** The second step of a login: a code of the authenticator app, a recovery code, or a passkey. */
export function TotpStep({ credentials, factors, onBack, ...callbacks }: Props) {
  const { t } = useT()
  const byPasskey = (passkey: string) => logInWithPassword({ ...credentials, passkey }, callbacks)
  const back = (
    <Button variant="ghost" size="s" onClick={onBack}>
      {t('totp.back')}
    </Button>
  )
  return (
    <section aria-label={t('totp.title')} className="grid gap-5">
      {factors.totp ? (
        <CodeForm send={(totp) => logInWithPassword({ ...credentials, totp }, callbacks)} back={back} />
      ) : (
        <p className="text-lg">{t('totp.ask.passkey')}</p>
      )}
      {factors.passkey && <PasskeyLogin label={t('totp.use_passkey')} send={byPasskey} />}
      {!factors.totp && <div>{back}</div>}
    </section>
  )
}

type CodeProps = { send: (totp: string) => Promise<unknown>; back: ReactNode }

function CodeForm({ send, back }: CodeProps) {
  const { t } = useT()
  const [recovery, setRecovery] = useState(false)
  const section = useRef<HTMLDivElement>(null)
  const form = useForm({
    initial: { totp: '' },
    check: checkFactor,
    send: ({ totp }) => send(totp),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other kind of code is another field
  useEffect(() => section.current?.querySelector('input')?.focus(), [recovery])

  function change() {
    setRecovery(!recovery)
    form.reset({ totp: '' })
  }

  return (
    <div ref={section}>
      <form {...form.form} className="grid gap-5">
        <p className="text-lg">{t(recovery ? 'totp.ask.recovery' : 'totp.ask')}</p>
        <FormProblem form={form} />
        <FactorField {...form.text('totp')} recovery={recovery} />
        <Button type="submit" size="l" busy={form.busy}>
          {t('login.submit')}
        </Button>
        <div className="flex flex-wrap justify-between gap-3">
          {back}
          <Button variant="ghost" size="s" onClick={change}>
            {t(recovery ? 'totp.use_app' : 'totp.use_recovery')}
          </Button>
        </div>
      </form>
    </div>
  )
}
