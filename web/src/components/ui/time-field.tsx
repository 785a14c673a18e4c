import type { ComponentProps } from 'react'
import { useT } from '@/lib/i18n/use-t'
import { readTime } from '@/lib/validation/time'
import { Field } from './field'

type Props = Omit<ComponentProps<typeof Field>, 'type' | 'onChange'> & {
  value: string
  onChange: (event: { target: { value: string } }) => void
}

/**
 * A time of day in 24 hours. The native time input follows the browser's language, with AM and PM in some.
 */
export function TimeField({ value, onChange, className, ...field }: Props) {
  const { t } = useT()
  return (
    <Field
      placeholder={t('ui.time_format')}
      {...field}
      className={className ?? 'num'}
      inputMode="numeric"
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={onChange}
      onBlur={({ target }) => {
        const time = readTime(target.value)
        if (time !== target.value) onChange({ target: { value: time } })
      }}
    />
  )
}
