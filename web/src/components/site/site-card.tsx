import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { LookOnly } from '@/components/access/look-only'
import { Answer } from '@/components/ui/answer'
import { Card } from '@/components/ui/card'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { type Site, siteQuery } from '@/lib/data/site'
import { type System, systemsQuery } from '@/lib/data/systems'
import { formatNumber } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useLookOnly } from '@/lib/use-look-only'
import { compassOf } from './model'
import { SiteForm } from './site-form'

const WRITERS: readonly string[] = ['owner', 'member', 'configure', 'service']
const HOUSEHOLD: readonly string[] = ['owner', 'member']

type Props = {
  /** The system of the page; without it the person chooses one here. */
  sn?: string
}

/** A system's location and modules, for forecasts and for visits. */
export function SiteCard({ sn }: Props) {
  const { t } = useT()
  const { data: systems } = useQuery(systemsQuery)
  const { everywhere } = useLookOnly()
  const [chosen, setChosen] = useState<string | null>(null)
  const system = systems?.find((one) => one.sn === (sn ?? chosen)) ?? (sn ? undefined : systems?.[0])
  return (
    <Card title={t('site.title')} description={t('site.text')} aria-busy={!systems}>
      {!systems && <Skeleton key="waiting" className="h-215" />}
      {system && (
        <div key="site" className="grid max-w-3xl gap-4">
          {sn === undefined && everywhere && <LookOnly />}
          {sn === undefined && systems && systems.length > 1 && (
            <Select
              name="site_sn"
              label={t('command.system')}
              value={system.sn}
              options={systems.map((one) => ({ value: one.sn, label: labelOf(one) }))}
              onChange={({ target }) => setChosen(target.value)}
            />
          )}
          <OneSite key={system.sn} system={system} others={sn ? [] : othersOf(systems ?? [], system)} />
        </div>
      )}
    </Card>
  )
}

const labelOf = ({ sn, first_name, last_name }: System) =>
  [sn, [first_name, last_name].filter(Boolean).join(' ')].filter(Boolean).join(' · ')

/** Systems of the same household. An electrician's customers live in different houses. */
const othersOf = (systems: readonly System[], { sn, access }: System) =>
  HOUSEHOLD.includes(access)
    ? systems.filter((one) => one.sn !== sn && HOUSEHOLD.includes(one.access)).map((one) => one.sn)
    : []

function OneSite({ system, others }: { system: System; others: readonly string[] }) {
  const { t } = useT()
  return (
    <Answer
      query={useQuery(siteQuery(system.sn))}
      failed={t('site.failed')}
      waiting={<Skeleton className="h-215" />}
    >
      {(site) =>
        WRITERS.includes(system.access) ? (
          // A refetch does not reset the form.
          <SiteForm site={site} others={others} />
        ) : (
          <SiteFacts site={site} />
        )
      }
    </Answer>
  )
}

/** The site, read-only. */
function SiteFacts({ site }: { site: Site }) {
  const { t, locale } = useT()
  const { latitude, longitude } = site
  return (
    <dl className="num grid gap-3 text-md">
      <Fact name={t('site.place')}>{site.place ?? t('site.unknown')}</Fact>
      {latitude !== null && longitude !== null && (
        <Fact name={t('site.coordinates')}>
          {[latitude, longitude].map((degrees) => `${formatNumber(degrees, locale, 2)}°`).join(' / ')}
        </Fact>
      )}
      <Fact name={t('site.time_zone')}>{site.time_zone}</Fact>
      <Fact name={t('site.planes')}>
        {site.kwp === null ? t('site.unknown') : t('site.peak', { kwp: formatNumber(site.kwp, locale, 2) })}
      </Fact>
      {site.planes.map(({ kwp, tilt, azimuth }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: planes have no other name, and are only read here
        <Fact key={place} name={t('site.plane', { number: place + 1 })}>
          {t('site.plane.facts', {
            kwp: formatNumber(kwp, locale, 2),
            tilt: formatNumber(tilt, locale),
            facing: t(`site.compass.${compassOf(azimuth)}`),
          })}
        </Fact>
      ))}
    </dl>
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
