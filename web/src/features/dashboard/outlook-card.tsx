import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CloudDownload, CloudSun, KeyRound, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '@/components/ui/card'
import { textLinkStyle } from '@/components/ui/text-link'
import { cn } from '@/lib/cn'
import { forecastQuery } from '@/lib/data/forecast'
import { grantsQuery, type Installer } from '@/lib/data/grants'
import { systemsQuery } from '@/lib/data/systems'
import { energyQuantity, formatLongDate, joinQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { updatableOf } from '@/lib/live/live'
import { useLive } from '@/lib/live/use-live'
import { plusDays } from '@/lib/site-day'
import { useSite } from '@/lib/use-site'
import { expectedOf } from './model/expected'
import { installersOf } from './model/installers'

/** What is coming: tomorrow's sun and load, updates, and access. It says so where nothing is known yet. */
export function OutlookCard() {
  const { t } = useT()
  const { data: live } = useLive()
  const updates = live ? updatableOf(live).length : 0
  return (
    <Card title={t('outlook.title')}>
      <ul className="grid gap-4">
        <Row icon={CloudSun} title={t('outlook.forecast')}>
          <Tomorrow />
        </Row>
        <Row icon={CloudDownload} title={t('top.updates')}>
          {updates === 0 ? (
            <p>{t('top.no_update')}</p>
          ) : (
            <Link to="/update" className={textLinkStyle}>
              {t('top.updates_pending', { count: updates })}
            </Link>
          )}
        </Row>
        <Row icon={KeyRound} title={t('outlook.grants')}>
          <Access />
        </Row>
      </ul>
    </Card>
  )
}

function Row({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-3">
      <span className="grid size-9 shrink-0 place-items-center rounded-lg bg-surface-2 text-muted">
        <Icon aria-hidden className="size-4.5" />
      </span>
      <div className="min-w-0">
        <h3 className="text-md font-medium">{title}</h3>
        <div className="text-sm text-muted">{children}</div>
      </div>
    </li>
  )
}

/** Tomorrow's forecast, with a link to its chart. */
function Tomorrow() {
  const { t, locale } = useT()
  const { sn, entry, today } = useSite()
  const { data } = useQuery({ ...forecastQuery(sn ?? ''), enabled: sn !== null })
  const day = plusDays(today, 1)
  const pv = expectedOf(data?.pv ?? [], day, entry?.time_zone)
  const load = expectedOf(data?.load ?? [], day, entry?.time_zone)
  if (pv === null || load === null) return <p>{t('outlook.forecast.none')}</p>
  const energy = (wattHours: number) => joinQuantity(energyQuantity(wattHours, locale))
  return (
    <>
      <p>{t('outlook.forecast.tomorrow', { pv: energy(pv), load: energy(load) })}</p>
      <Link
        to="/charts"
        search={{ ...(sn === null ? {} : { sn }), date: day }}
        className={cn(textLinkStyle, linkHeight)}
      >
        {t('outlook.forecast.show')}
      </Link>
    </>
  )
}

/** A minimum touch size. */
const linkHeight = 'inline-flex min-h-6 items-center'

/** Electricians to contact, pending decisions, and a link to both. */
function Access() {
  const { t } = useT()
  const { data: systems } = useQuery(systemsQuery)
  const { data: grants } = useQuery(grantsQuery)
  const installers = installersOf(systems ?? [])
  const waiting =
    grants?.given.filter(({ state }) => state === 'asked' || state === 'unconfirmed').length ?? 0
  return (
    <div className="grid gap-1.5">
      {installers.length === 0 && <p>{t('outlook.grants.none')}</p>}
      {installers.map((installer) => (
        <Contact key={installer.email} installer={installer} />
      ))}
      <Link to="/settings" hash="grants" className={cn(textLinkStyle, linkHeight, 'justify-self-start')}>
        {waiting > 0 ? t('outlook.grants.waiting', { count: waiting }) : t('outlook.grants.manage')}
      </Link>
    </div>
  )
}

function Contact({ installer: { company, email, phone, until } }: { installer: Installer }) {
  const { t, locale } = useT()
  const { entry } = useSite()
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap gap-x-2">
        <span className="font-medium text-text wrap-anywhere">{company ?? email}</span>
        {until !== null && (
          // Access ends at the end of the last day.
          <span className="num">
            {t('outlook.grants.until', {
              date: formatLongDate(until - 1, { locale, timeZone: entry?.time_zone }),
            })}
          </span>
        )}
      </p>
      <p className="flex flex-wrap gap-x-4 gap-y-1">
        {phone && (
          <a href={`tel:${phone}`} className={cn(textLinkStyle, linkHeight, 'num')}>
            {phone}
          </a>
        )}
        <a href={`mailto:${email}`} className={cn(textLinkStyle, linkHeight, 'wrap-anywhere')}>
          {email}
        </a>
      </p>
    </div>
  )
}
