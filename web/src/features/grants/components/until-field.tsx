import { Field } from '@/components/ui/field'
import type { TextBinding } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import type { SiteDay } from '@/lib/site-day'
import { selectableDays } from '../model'

type Props = {
  field: TextBinding
  today: SiteDay /** The household's access may have no end. */
  optional?: boolean
}

/** The last day of access. */
export function UntilField({ field, today, optional = false }: Props) {
  const { t } = useT()
  const { first, last } = selectableDays(today)
  return (
    <Field
      {...field}
      type="date"
      label={t(optional ? 'grants.until_optional' : 'grants.until')}
      hint={t(optional ? 'grants.until_optional.hint' : 'grants.until.hint')}
      min={first}
      max={last}
      required={!optional}
      className="num"
    />
  )
}
