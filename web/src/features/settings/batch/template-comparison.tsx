import { Check } from 'lucide-react'
import { useT } from '@/lib/i18n/use-t'
import type { SystemSettings } from '../model/fields'
import { valueText } from '../model/fields'
import type { Template } from './data'
import { type Difference, differencesOf } from './model'

type Props = { template: Template; systems: readonly SystemSettings[] }

/** The differences between each selected system and the template. */
export function TemplateComparison({ template, systems }: Props) {
  const { t } = useT()
  return (
    <ul className="grid gap-2 rounded-xl bg-surface-2 px-3 py-2 text-sm">
      {systems.map((system) => {
        const differences = differencesOf(template, system)
        return (
          <li key={system.sn}>
            <p className="num font-medium">{system.sn}</p>
            {differences.length === 0 && (
              <p className="flex items-center gap-1.5 text-muted">
                <Check aria-hidden className="size-4 shrink-0 text-ok" />
                {t('batch.compare.same')}
              </p>
            )}
            {differences.map((difference) => (
              <Line key={difference.name} system={system} difference={difference} />
            ))}
          </li>
        )
      })}
    </ul>
  )
}

type LineProps = { system: SystemSettings; difference: Difference }

function Line({ system, difference: { name, is, should } }: LineProps) {
  const { t, locale } = useT()
  const spec = system.fields[name]
  if (!spec) return null
  return (
    <p className="num">
      <span className="text-muted">{t(`setting.${name}`)}:</span>{' '}
      {t('batch.compare.line', {
        is: valueText(is, spec, t, locale),
        should: valueText(should, spec, t, locale),
      })}
    </p>
  )
}
