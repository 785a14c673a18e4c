import { Plus } from 'lucide-react'
import { useState } from 'react'
import { CLAIM_MINUTES } from '@/components/keys/model'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { REGISTRATION_KEYS_MAX } from '@/lib/constants'
import type { TextBinding } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'

/** One to three serial numbers or registration codes, with an explanation of both. */
export function KeyFields({ fields }: { fields: TextBinding[] }) {
  const { t } = useT()
  const [asked, setAsked] = useState(1)
  // A field with a value or an error stays visible.
  const used = fields.findLastIndex(({ value, error }) => value !== '' || error) + 1
  const shown = Math.max(asked, used)
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-2 text-lg font-semibold">{t('register.keys')}</legend>
      <dl className="grid gap-2 text-sm text-muted">
        <div>
          <dt className="inline font-medium text-text">{t('keys.kind.code')}</dt>{' '}
          <dd className="inline">{t('keys.kind.code.text')}</dd>
        </div>
        <div>
          <dt className="inline font-medium text-text">{t('keys.kind.serial')}</dt>{' '}
          <dd className="inline">{t('keys.kind.serial.text', { minutes: CLAIM_MINUTES })}</dd>
        </div>
      </dl>
      {fields.slice(0, shown).map((field, index) => (
        <Field
          key={field.name}
          {...field}
          label={index === 0 ? t('keys.label') : t('keys.label_optional', { number: index + 1 })}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          required={index === 0}
          // The field was just added by the person.
          autoFocus={index > 0 && index === asked - 1}
          className="num"
        />
      ))}
      {shown < REGISTRATION_KEYS_MAX && (
        <Button
          variant="ghost"
          size="s"
          className="-ml-3 justify-self-start"
          onClick={() => setAsked(shown + 1)}
        >
          <Plus aria-hidden className="size-4" />
          {t('register.another_key')}
        </Button>
      )}
    </fieldset>
  )
}
