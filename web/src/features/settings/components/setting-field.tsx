import type { ReactNode } from 'react'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import { Switch } from '@/components/ui/switch'
import { TimeField } from '@/components/ui/time-field'
import type { Locale } from '@/lib/i18n/locales'
import { type Translate, useT } from '@/lib/i18n/use-t'
import { fieldText } from '@/lib/validation/field-text'
import { type Systems, shownText } from '../model/draft'
import { choiceText, commonSpec, type FieldSpec, maximumText, type SettingName } from '../model/fields'
import type { Editor } from '../use-editor'
import { FieldHint } from './field-hint'

type Props = {
  name: SettingName
  systems: Systems
  editor: Pick<Editor, 'draft' | 'errors' | 'change'>
  /** Overrides the name of the setting. */
  label?: string
}

/** A power above the unit's maximum is rejected with that maximum. */
function errorOf(found: string | undefined, spec: FieldSpec, t: Translate, locale: Locale) {
  const most = found === 'power_range' ? maximumText(spec, locale) : null
  return most === null ? fieldText(found, t) : t('settings.power_up_to', { most })
}

/** One setting: an input with its unit, a select, or a switch, depending on its kind. */
export function SettingField({ name, systems, editor, label }: Props) {
  const { t, locale } = useT()
  const spec = commonSpec(systems, name)
  if (!spec) return null
  const shown = shownText(editor.draft, systems, name, locale)
  const change = (text: string) => editor.change(name, text)
  const frame = {
    name,
    label: label ?? t(`setting.${name}`),
    hint: <FieldHint name={name} spec={spec} systems={systems} draft={editor.draft} />,
    error:
      name === 'provider' && editor.errors.import_price
        ? t('settings.price_missing')
        : errorOf(editor.errors[name], spec, t, locale),
  }
  if (spec.kind === 'switch')
    return (
      <Switch
        {...frame}
        checked={shown === 'true'}
        onChange={({ target }) => change(String(target.checked))}
      />
    )
  if (spec.kind === 'choice')
    return (
      <Select
        {...frame}
        value={shown ?? ''}
        placeholder={shown === null ? t('settings.mixed') : undefined}
        options={(spec.choices ?? []).map((value) => ({ value, label: choiceText(value, t) }))}
        onChange={({ target }) => change(target.value)}
      />
    )
  const box = {
    ...frame,
    value: shown ?? '',
    ...(shown === null && { placeholder: t('settings.mixed') }),
    required: !spec.optional,
    onChange: ({ target }: { target: { value: string } }) => change(target.value),
  }
  if (spec.kind === 'time') return <TimeField {...box} />
  return <Field {...box} {...boxOf(spec)} autoComplete="off" spellCheck={false} />
}

/** The input mode for phones, and the unit inside the input. */
function boxOf({ kind, unit, decimals }: FieldSpec) {
  const text = kind === 'token'
  return {
    inputMode: text ? ('text' as const) : decimals ? ('decimal' as const) : ('numeric' as const),
    trailing: unit ? <Unit>{unit}</Unit> : undefined,
    className: unit && unit.length > 2 ? 'num pr-20' : text ? undefined : 'num',
  }
}

const Unit = ({ children }: { children: ReactNode }) => (
  <span className="pointer-events-none pr-3.5 text-md text-muted">{children}</span>
)
