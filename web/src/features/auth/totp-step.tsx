import { useEffect, useRef, useState } from 'react'
import { FactorField } from '@/components/totp/factor-field'
import { checkFactor } from '@/components/totp/model'
import { Button } from '@/components/ui/button'
import { FormProblem } from '@/components/ui/form-problem'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { type Credentials, type Doors, enter } from './enter'

type Props = Doors & {
  /** What the server has found right. */
  credentials: Credentials
  onBack: () => void
}

/** The second step of a login: the code of the authenticator app, or a recovery code. */
export function TotpStep({ credentials, onBack, ...doors }: Props) {
  const { t } = useT()
  const [recovery, setRecovery] = useState(false)
  const section = useRef<HTMLElement>(null)
  const form = useForm({
    initial: { totp: '' },
    check: checkFactor,
    send: ({ totp }) => enter({ ...credentials, totp }, doors),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other kind of code is another field
  useEffect(() => section.current?.querySelector('input')?.focus(), [recovery])

  function change() {
    setRecovery(!recovery)
    form.reset({ totp: '' })
  }

  return (
    <section ref={section} aria-label={t('totp.title')}>
      <form {...form.form} className="grid gap-5">
        <p className="text-[15px]">{t(recovery ? 'totp.ask.recovery' : 'totp.ask')}</p>
        <FormProblem form={form} />
        <FactorField {...form.text('totp')} recovery={recovery} />
        <Button type="submit" size="l" busy={form.busy}>
          {t('login.submit')}
        </Button>
        <div className="flex flex-wrap justify-between gap-3">
          <Button variant="ghost" size="s" onClick={onBack}>
            {t('totp.back')}
          </Button>
          <Button variant="ghost" size="s" onClick={change}>
            {t(recovery ? 'totp.use_app' : 'totp.use_recovery')}
          </Button>
        </div>
      </form>
    </section>
  )
}
