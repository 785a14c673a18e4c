import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { useSelection } from '@/lib/selection'
import { ACTORS, type JournalFilter, KINDS, withChoice } from './model'

type Props = { filter: JournalFilter; onChange: (filter: JournalFilter) => void }

/** Filters by system, kind, person and dates. */
export function JournalFilters({ filter, onChange }: Props) {
  const { t } = useT()
  const { serials } = useSelection()
  const bind = (name: 'sn' | 'kind' | 'actor' | 'from' | 'to') => ({
    name: `journal_${name}`,
    value: filter[name] ?? '',
    onChange: ({ target }: { target: { value: string } }) =>
      onChange(withChoice(filter, { [name]: target.value })),
  })
  return (
    <div className="mb-5 grid gap-4 sm:grid-cols-2 lg:grid-cols-5">
      {serials.length > 1 && (
        <Select
          {...bind('sn')}
          label={t('journal.system')}
          options={[
            { value: '', label: t('selector.all') },
            ...serials.filter((sn) => sn !== ALL_SYSTEMS).map((value) => ({ value, label: value })),
          ]}
        />
      )}
      <Select
        {...bind('kind')}
        label={t('journal.kind')}
        options={[
          { value: '', label: t('journal.kind.all') },
          ...KINDS.map((value) => ({ value, label: t(`journal.kind.${value}`) })),
        ]}
      />
      <Select
        {...bind('actor')}
        label={t('journal.actor')}
        options={[
          { value: '', label: t('journal.actor.all') },
          ...ACTORS.map((value) => ({ value, label: t(`journal.actor.${value}`) })),
        ]}
      />
      <Field {...bind('from')} label={t('journal.from')} type="date" />
      <Field {...bind('to')} label={t('journal.to')} type="date" />
    </div>
  )
}
