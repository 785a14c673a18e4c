import { Trash2 } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import type { TextBinding } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { compassOf, fieldOf, type PlaneField, parseTyped } from './model'

type Props = {
  /** The plane's number in the form; it stays the same when others are removed. */
  plane: number
  /** The displayed number. */
  place: number
  text: (name: string) => TextBinding
  onRemove: () => void
}

/** A group of modules with the same orientation: power, tilt and azimuth. */
export function PlaneFields({ plane, place, text, onRemove }: Props) {
  const { t } = useT()
  const bind = (name: PlaneField) => text(fieldOf(name, plane))
  const azimuth = parseTyped(bind('azimuth').value, 0)
  const facing = azimuth !== null && Math.abs(azimuth) <= 180
  return (
    <fieldset className="min-w-0 rounded-xl border border-line p-4 pt-2">
      <legend className="sr-only">{t('site.plane', { number: place })}</legend>
      <div className="mb-1 flex items-center justify-between gap-3">
        <p aria-hidden className="text-md font-medium">
          {t('site.plane', { number: place })}
        </p>
        <Button
          variant="ghost"
          size="s"
          aria-label={t('site.plane.remove', { number: place })}
          onClick={onRemove}
          className="-mr-2"
        >
          <Trash2 aria-hidden className="size-4" />
        </Button>
      </div>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))] gap-4">
        <Field {...bind('kwp')} label={t('site.kwp')} inputMode="decimal" autoComplete="off" required />
        <Field
          {...bind('tilt')}
          label={t('site.tilt')}
          hint={t('site.tilt.hint')}
          inputMode="numeric"
          autoComplete="off"
          required
        />
        <Field
          {...bind('azimuth')}
          label={t('site.azimuth')}
          hint={t('site.azimuth.hint')}
          action={
            facing && <span className="text-sm text-muted">{t(`site.compass.${compassOf(azimuth)}`)}</span>
          }
          autoComplete="off"
          required
        />
      </div>
    </fieldset>
  )
}
