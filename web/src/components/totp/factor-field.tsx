import { Field } from '@/components/ui/field'
import type { TextBinding } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'

type Props = TextBinding & {
  /** A recovery code has letters: a phone then shows them. */
  recovery?: boolean
  hint?: string
}

/** Where the code of the authenticator app is typed, or pasted, or filled in by the phone. */
export function FactorField({ recovery = false, hint, ...binding }: Props) {
  const { t } = useT()
  return (
    <Field
      {...binding}
      label={t(recovery ? 'totp.recovery_code' : 'totp.code')}
      hint={hint}
      inputMode={recovery ? 'text' : 'numeric'}
      autoComplete={recovery ? 'off' : 'one-time-code'}
      autoCapitalize={recovery ? 'characters' : 'none'}
      spellCheck={false}
      maxLength={32}
      className="num tracking-[0.15em]"
      required
    />
  )
}
