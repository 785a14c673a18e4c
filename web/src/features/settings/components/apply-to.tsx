import { Checkbox } from '@/components/ui/checkbox'
import { useT } from '@/lib/i18n/use-t'

type Props = { serials: readonly string[]; chosen: readonly string[]; onChange: (chosen: string[]) => void }

/** Selects the form's systems, at least one. */
export function ApplyTo({ serials, chosen, onChange }: Props) {
  const { t } = useT()
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t('settings.apply_to')}</legend>
      <div className="mt-1 flex flex-wrap gap-x-6">
        {serials.map((sn) => {
          const ticked = chosen.includes(sn)
          const next = serials.filter((one) => (one === sn ? !ticked : chosen.includes(one)))
          return (
            <Checkbox
              key={sn}
              label={<span className="num break-all">{sn}</span>}
              checked={ticked}
              disabled={next.length === 0}
              onChange={() => onChange(next)}
            />
          )
        })}
      </div>
    </fieldset>
  )
}
