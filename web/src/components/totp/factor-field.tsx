import { Field } from '@/components/ui/field'
import type { TextBinding } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'

type Props = TextBinding & {
  /** A recovery code contains letters, so phones show the full keyboard. */
  recovery?: boolean
  hint?: string
}

/** The field for a code of the authenticator app; phones can fill it in. */
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
