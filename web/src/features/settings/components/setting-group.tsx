import type { ReactNode } from 'react'
import { Disclosure } from '@/components/ui/disclosure'
import { useT } from '@/lib/i18n/use-t'
import { type Systems, shownText } from '../model/draft'
import {
  commonSpec,
  commonValue,
  GROUPS,
  type Group,
  needsToken,
  PRICES,
  type SettingName,
  valueText,
} from '../model/fields'
import type { Editor } from '../use-editor'
import { DayWindows } from './day-windows'
import { SettingField } from './setting-field'

type Props = {
  group: Group
  systems: Systems
  editor: Editor
  readOnly: boolean
  /** Without it the group is always open. */
  folding?: { open: boolean; onToggle: () => void }
  /** Content below the fields, such as the meter test. */
  children?: ReactNode
}

/** The settings in the summary of a closed group. */
const SUMMARY: Record<Group, readonly SettingName[]> = {
  charging: ['reserve_soc', 'charge_start', 'charge_end'],
  tariff: ['provider', 'dynamic_tariff'],
  device: ['charge_limit', 'discharge_limit', 'emergency_power'],
  meter: ['meter_type', 'meter_address'],
}

export function SettingGroup({ group, systems, editor, readOnly, folding, children }: Props) {
  const { t, locale } = useT()
  const provider = shownText(editor.draft, systems, 'provider', locale)
  const names = GROUPS[group].filter(
    (name) => !PRICES.includes(name) && (name !== 'provider_token' || needsToken(provider)),
  )
  const fields = (
    <>
      <fieldset disabled={readOnly} className="grid min-w-0 items-start gap-x-6 gap-y-5 sm:grid-cols-2">
        <legend className="sr-only">{t(`settings.group.${group}`)}</legend>
        {names.map((name) => (
          <div
            key={name}
            className={name === 'reserve_soc' ? 'min-w-0 sm:col-span-2 sm:max-w-1/2 sm:pr-3' : 'min-w-0'}
          >
            <SettingField name={name} systems={systems} editor={editor} />
          </div>
        ))}
      </fieldset>
      {group === 'charging' && <DayWindows systems={systems} draft={editor.draft} />}
      {children}
    </>
  )
  if (!folding)
    return (
      <div id={group} className="scroll-mt-20">
        {fields}
      </div>
    )
  return (
    <Disclosure
      id={group}
      title={t(`settings.group.${group}`)}
      summary={<Summary names={SUMMARY[group]} systems={systems} />}
      {...folding}
    >
      <p className="mb-5 text-md text-muted">{t(`settings.group.${group}.text`)}</p>
      {fields}
    </Disclosure>
  )
}

/** "Reserve: 10 % · Laden ab: 00:00 · …" */
function Summary({ names, systems }: { names: readonly SettingName[]; systems: Systems }) {
  const { t, locale } = useT()
  return names
    .map((name) => {
      const [spec, value] = [commonSpec(systems, name), commonValue(systems, name)]
      const text = spec && value !== undefined ? valueText(value, spec, t, locale) : t('settings.mixed')
      return t('ui.labelled', { label: t(`setting.${name}`), value: text })
    })
    .join(' · ')
}
