import { refusalText } from '@/lib/form/refusal-text'
import type { FormState } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { Callout } from './callout'

/** Why a form was rejected; announced after every attempt. */
export function FormProblem({ form: { failure, attempt } }: { form: FormState }) {
  const { t, locale } = useT()
  if (!failure) return null
  const { wrongFields, texts, error } = failure
  return (
    <Callout key={attempt} tone="danger">
      {error ? <p>{refusalText(error, t, locale)}</p> : null}
      {wrongFields > 0 && <p>{t('form.wrong_fields', { count: wrongFields })}</p>}
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </Callout>
  )
}
