import { ArrowRight } from 'lucide-react'
import { useT } from '@/lib/i18n/use-t'
import { type Change, changedNames, type Systems } from '../model/draft'
import { commonSpec, type FieldSpec, type Value, valueText } from '../model/fields'

/** The changes, from and to. Systems that already have the value are not counted. */
export function ChangeList({ changes, systems }: { changes: readonly Change[]; systems: Systems }) {
  const { t } = useT()
  return (
    <ul className="divide-y divide-line border-y border-line text-md">
      {changedNames(changes).map((name) => {
        const spec = commonSpec(systems, name)
        if (!spec) return null
        return (
          <li key={name} className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 py-2.5">
            <span className="text-muted">{t(`setting.${name}`)}</span>
            <FromTo spec={spec} changes={changes.filter((change) => change.name === name)} />
          </li>
        )
      })}
    </ul>
  )
}

function FromTo({ spec, changes }: { spec: FieldSpec; changes: readonly Change[] }) {
  const { t, locale } = useT()
  const [first, ...more] = changes
  if (!first) return null
  const same = more.every(({ from }) => from === first.from)
  const text = (value: Value) => valueText(value, spec, t, locale)
  return (
    <span className="num flex flex-wrap items-baseline gap-x-2 font-medium">
      <span className="sr-only">{t('settings.from')}</span>
      <span>{same ? text(first.from) : t('settings.mixed')}</span>
      <ArrowRight aria-hidden className="size-3.5 self-center text-muted" />
      <span className="sr-only">{t('settings.to')}</span>
      <span className="wrap-anywhere">{spec.kind === 'token' ? hidden(first.to) : text(first.to)}</span>
    </span>
  )
}

/** The last characters of a token. */
const hidden = (token: Value) => `…${String(token).slice(-4)}`
