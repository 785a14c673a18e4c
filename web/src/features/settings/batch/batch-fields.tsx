import { useState } from 'react'
import { Checkbox } from '@/components/ui/checkbox'
import { Disclosure } from '@/components/ui/disclosure'
import { useT } from '@/lib/i18n/use-t'
import { SettingField } from '../components/setting-field'
import type { Findings } from '../model/check'
import type { Draft } from '../model/draft'
import {
  commonSpec,
  commonValue,
  GROUP_NAMES,
  type Group,
  groupOf,
  type SettingName,
  type SystemSettings,
  valueText,
} from '../model/fields'
import { fieldsOf } from './model'

type Props = {
  systems: readonly SystemSettings[]
  /** All selected systems are loaded, so their current values can be shown. */
  readable: boolean
  draft: Draft
  errors: Findings
  onTick: (name: SettingName, on: boolean) => void
  onChange: (name: SettingName, text: string) => void
}

/** Every setting with a checkbox; only checked ones are changed and have a field. */
export function BatchFields({ systems, readable, draft, errors, onTick, onChange }: Props) {
  const { t } = useT()
  const [opened, setOpened] = useState<readonly Group[]>(['charging'])
  const ticked = (name: SettingName) => draft[name] !== undefined
  const wrong = (Object.keys(errors) as SettingName[]).filter((name) => errors[name]).map(groupOf)
  return (
    <div className="divide-y divide-line">
      {GROUP_NAMES.map((group) => {
        const names = fieldsOf(group)
        const chosen = names.filter(ticked)
        const open = opened.includes(group) || wrong.includes(group)
        return (
          <Disclosure
            key={group}
            title={t(`settings.group.${group}`)}
            summary={chosen.map((name) => t(`setting.${name}`)).join(' · ') || t('batch.nothing')}
            open={open}
            onToggle={() =>
              setOpened((before) =>
                before.includes(group) ? before.filter((one) => one !== group) : [...before, group],
              )
            }
          >
            <ul className="grid items-start gap-x-6 gap-y-1 sm:grid-cols-2">
              {names.map((name) => (
                <li key={name} className="min-w-0">
                  <Checkbox
                    label={t(`setting.${name}`)}
                    checked={ticked(name)}
                    onChange={({ target }) => onTick(name, target.checked)}
                  />
                  {readable && !ticked(name) && <ValueNow systems={systems} name={name} />}
                  {ticked(name) && (
                    <div className="mb-3 ml-8">
                      <SettingField
                        name={name}
                        systems={systems}
                        editor={{ draft, errors, change: onChange }}
                        label={t('batch.new_value', { setting: t(`setting.${name}`) })}
                      />
                    </div>
                  )}
                </li>
              ))}
            </ul>
          </Disclosure>
        )
      })}
    </div>
  )
}

/** The current value, or a note that the systems differ. */
function ValueNow({ systems, name }: { systems: readonly SystemSettings[]; name: SettingName }) {
  const { t, locale } = useT()
  const [spec, value] = [commonSpec(systems, name), commonValue(systems, name)]
  if (!spec) return null
  return (
    <p className="num -mt-2 mb-2 ml-8 text-sm text-muted">
      {value === undefined ? t('batch.differs') : valueText(value, spec, t, locale)}
    </p>
  )
}
