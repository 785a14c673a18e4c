import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useT } from '@/lib/i18n/use-t'
import { exceedsMaximum, isReservedAddress, needsNotice, readValue } from '../model/check'
import type { Draft, Systems } from '../model/draft'
import {
  commonValue,
  desiredOf,
  type FieldSpec,
  maximumText,
  reportedOf,
  type SettingName,
  valueText,
} from '../model/fields'

type Props = { name: SettingName; spec: FieldSpec; systems: Systems; draft: Draft }

/** A setting's description, its range, and the battery's report. */
export function FieldHint({ name, spec, systems, draft }: Props) {
  const { t, locale } = useT()
  const typed = draft[name] === undefined ? undefined : readValue(draft[name], spec)
  const most = spec.kind === 'power' ? maximumText(spec, locale) : null
  const range = most === null ? '' : ` ${t('settings.up_to', { most })}`
  // A value above the unit's maximum is rejected, so the notice would be misleading.
  const notice =
    name === 'charge_limit' &&
    !exceedsMaximum(typed, spec) &&
    systems.some((system) => needsNotice(system, typed ?? null))
  const token = spec.kind === 'token' ? commonValue(systems, name) : null
  return (
    <>
      {t(`setting.${name}.text`)}
      {range}
      {typeof token === 'string' && token !== '' && ` ${t('settings.token_kept', { end: token })}`}
      {spec.kind === 'address' && isReservedAddress(typed) && <Note>{t('settings.address_reserved')}</Note>}
      {most !== null && exceedsMaximum(typed, spec) && <Note>{t('settings.above_rating', { most })}</Note>}
      {notice && <Note>{t('settings.notice_14a')}</Note>}
      {systems.map((system) => (
        <Reported key={system.sn} name={name} spec={spec} system={system} named={systems.length > 1} />
      ))}
    </>
  )
}

type ReportedProps = { name: SettingName; spec: FieldSpec; system: Systems[number]; named: boolean }

/** The reported value if it differs from the desired one: pending, or rejected with a reason. */
function Reported({ name, spec, system, named }: ReportedProps) {
  const { t, locale } = useT()
  const works = reportedOf(system, name)
  const refused = system.error_texts[name]
  const who = named ? `${system.sn}: ` : ''
  const now =
    works === undefined ? '' : t('settings.works_with', { value: valueText(works, spec, t, locale) })
  if (refused) {
    const wanted = valueText(desiredOf(system, name), spec, t, locale)
    return (
      <Note>
        {who}
        {t('settings.refused', { value: wanted })} {refused} {now}
      </Note>
    )
  }
  const onItsWay = system.state === 'sent' || system.state === 'waiting'
  if (!onItsWay || works === undefined || works === desiredOf(system, name) || spec.kind === 'token')
    return null
  return (
    <span className="mt-1 block">
      {who}
      {now}
    </span>
  )
}

const Note = ({ children }: { children: ReactNode }) => (
  <span className="mt-1.5 flex items-start gap-1.5 text-warn">
    <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
    <span className="min-w-0">{children}</span>
  </span>
)
