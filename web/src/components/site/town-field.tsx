import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { Field } from '@/components/ui/field'
import { textLinkStyle } from '@/components/ui/text-link'
import type { TextBinding } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { initialOf, type Town, townNamed, townsLike, townsQuery } from '@/lib/towns'

type Props = {
  field: TextBinding
  /** Called when a town of the list was chosen, or typed in full. */
  onTown: (town: Town) => void
}

/** A town with suggestions. Other texts are allowed; their coordinates have to be typed. */
export function TownField({ field, onTown }: Props) {
  const { t } = useT()
  const queries = useQueryClient()
  const list = useId()
  const { data: towns = [] } = useQuery(townsQuery(field.value))

  /** The list may load after the name was typed, or not at all. */
  async function fillIn(typed: string) {
    if (initialOf(typed) === undefined) return
    const loaded = await queries.fetchQuery(townsQuery(typed)).catch(() => [])
    const town = townNamed(typed, loaded)
    if (town) onTown(town)
  }

  return (
    <div>
      <Field
        {...field}
        label={t('site.place')}
        hint={t('site.place.hint')}
        autoComplete="off"
        list={list}
        onChange={(change) => {
          field.onChange(change)
          void fillIn(change.target.value)
        }}
      />
      <datalist id={list}>
        {townsLike(field.value, towns).map(([name]) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <p className="mt-1.5 text-sm text-muted">
        {t('site.towns')}{' '}
        <a
          href="https://www.geonames.org"
          target="_blank"
          rel="noopener noreferrer"
          className={textLinkStyle}
        >
          GeoNames
        </a>
        ,{' '}
        <a
          href="https://creativecommons.org/licenses/by/4.0/"
          target="_blank"
          rel="noopener noreferrer"
          className={textLinkStyle}
        >
          CC BY 4.0
        </a>
      </p>
    </div>
  )
}
