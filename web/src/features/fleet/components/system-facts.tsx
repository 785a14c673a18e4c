import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { AskAccess } from '@/components/access/ask-access'
import { Card } from '@/components/ui/card'
import { textLinkStyle } from '@/components/ui/text-link'
import { grantsQuery } from '@/lib/data/grants'
import { type System, systemsQuery } from '@/lib/data/systems'
import { formatDateTime, formatPeriod, formatVersion } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import type { LiveEntry } from '@/lib/live/live'
import { scopeOf } from '../model/scope'

type Props = { system: System; entry: LiveEntry | undefined }

/** Versions, last contact, and the grant. */
export function SystemFacts({ system, entry }: Props) {
  const { t, locale } = useT()
  const { data: grants } = useQuery(grantsQuery)
  const grant = grants?.held.find(
    ({ sn, state }) => sn === system.sn && state !== 'asked' && state !== 'invited',
  )
  const { data: systems = [] } = useQuery(systemsQuery)
  const others = systems.filter(
    ({ sn, household }) => household != null && household === system.household && sn !== system.sn,
  )
  const scope = scopeOf(system.access)
  const heard = entry?.received_at ?? entry?.measured_at ?? null
  return (
    <Card title={t('fleet.facts')}>
      <dl className="num grid gap-3 text-md">
        <Fact name="Master">{formatVersion(system.master_version)}</Fact>
        <Fact name="Gateway">{formatVersion(system.gateway_version)}</Fact>
        <Fact name="Slave">{formatVersion(system.slave_version)}</Fact>
        {system.hardware && <Fact name={t('fleet.hardware')}>{system.hardware}</Fact>}
        <Fact name={t('fleet.contact')}>
          {heard === null ? t('fleet.never') : formatDateTime(heard, { locale, timeZone: system.time_zone })}
        </Fact>
        <Fact name={t('fleet.time_zone')}>{system.time_zone}</Fact>
        <Fact name={t('fleet.column.access')}>
          {t(`fleet.scope.${scope}`)}
          {grant?.until_day &&
            ` · ${t('fleet.until', { day: formatPeriod(grant.until_day, 'Day', locale) })}`}
        </Fact>
        {others.length > 0 && (
          <Fact name={t('fleet.household')}>
            {others.map(({ sn }, place) => (
              <Fragment key={sn}>
                {place > 0 && ', '}
                <Link to="/electrician-dashboard/$sn" params={{ sn }} className={textLinkStyle}>
                  {sn}
                </Link>
              </Fragment>
            ))}
          </Fact>
        )}
      </dl>
      <p className="mt-3 text-sm text-muted">{t(`fleet.scope.${scope}.text`)}</p>
      <Link to="/electrician-settings" hash="grants" className={`${textLinkStyle} mt-2 inline-block text-sm`}>
        {t('fleet.to_own_grants')}
      </Link>
      {scope === 'configure' && (
        <div className="mt-3">
          <AskAccess requests={[{ sn: system.sn, scope: 'service' }]} variant="outline" size="s">
            {t('ask.service')}
          </AskAccess>
        </div>
      )}
    </Card>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 text-right wrap-anywhere">{children}</dd>
    </div>
  )
}
