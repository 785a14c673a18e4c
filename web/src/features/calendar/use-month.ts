import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { energyQuery, monthEnergyQuery } from '@/lib/data/charts'
import { grantsQuery } from '@/lib/data/grants'
import { monthSavingsQuery, tariffQuery } from '@/lib/data/money'
import { planQuery } from '@/lib/data/plan'
import { settingsOfQuery } from '@/lib/data/settings'
import { systemsQuery } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { currencyOf } from '@/lib/money'
import { useSelection } from '@/lib/selection'
import { useSession } from '@/lib/session/session-store'
import { type SiteDay, siteDayOf } from '@/lib/site-day'
import { useSite } from '@/lib/use-site'
import { daysOf, plannedOf } from './model/day'
import { firstDay, monthOf, monthsBetween } from './model/month'
import { type Month, readCalendarSearch } from './model/search'
import { windowsOf } from './model/windows'

/** The month in the address, its data, and navigation. */
export function useMonth() {
  const navigate = useNavigate()
  const search = readCalendarSearch(useSearch({ strict: false }))
  const { sn, entry, today } = useSite()
  const month = search.month ?? monthOf(today)
  const grants = useGrants(sn)
  const planDays = usePlanDays(sn, entry?.time_zone)
  const planned = plannedOf(
    { calibrationDays: entry?.calibration_days, updatable: entry?.updatable, planDays, grants },
    today,
  )

  const asked = { enabled: sn !== null }
  const energy = useQuery({ ...monthEnergyQuery(sn ?? '', firstDay(month)), ...asked })
  // Only owners see money.
  const owns = useSession(({ role }) => role === 'user')
  const money = { enabled: sn !== null && owns }
  const savings = useQuery({ ...monthSavingsQuery(sn ?? '', firstDay(month)), ...money })
  const tariffs = useQuery({ ...tariffQuery(sn ?? ''), ...money })
  // Not loaded for a whole fleet, and not for grants that exclude settings.
  const access = useQuery(systemsQuery).data?.find((system) => system.sn === sn)?.access
  const settingsEnabled = { enabled: sn !== null && (owns || (access !== undefined && access !== 'monitor')) }
  const settings = useQuery({ ...settingsOfQuery(sn ?? ''), ...settingsEnabled }).data
  const years = useQuery({ ...energyQuery(sn ?? '', `total_${today}`), ...asked }).data?.rows

  const queries = owns ? [energy, savings, tariffs] : [energy]
  const failed = queries.filter(({ error }) => error)
  const firstYear = Math.min(years?.[0]?.year ?? Number.POSITIVE_INFINITY, Number(month.slice(0, 4)))
  // Future months are offered up to the last planned event.
  const latest = [monthOf(today), month, ...planned.map(({ day }) => monthOf(day))].sort().at(-1) ?? month
  return {
    sn,
    today,
    month,
    months: monthsBetween(firstYear, latest),
    days: daysOf({ month, today, chart: energy.data, savings: savings.data, planned }),
    windows: windowsOf(settings ?? []),
    energy: energy.data,
    tariffs: tariffs.data,
    currency: currencyOf(tariffs.data),
    /** Money needs the currency, which comes with the prices. */
    withMoney: owns && tariffs.data !== undefined,
    waiting: failed.length === 0 && queries.some(({ data }) => data === undefined),
    error: failed[0]?.error ?? null,
    retrying: failed.some(({ isFetching }) => isFetching),
    retry: () => {
      for (const query of failed) void query.refetch()
    },
    goTo: (next: Month) => void navigate({ to: '.', search: { ...search, month: next }, resetScroll: false }),
  }
}

/** Days with charge plans of the selected systems, for their owners. */
function usePlanDays(sn: string | null, timeZone: string | undefined): SiteDay[] {
  const { locale } = useT()
  const { serials } = useSelection()
  const owns = useSession(({ role }) => role === 'user')
  const shown = owns ? serials.filter((one) => sn === ALL_SYSTEMS || one === sn) : []
  const plans = useQueries({ queries: shown.map((one) => planQuery(one, locale)) })
  return plans
    .flatMap(({ data }) => data?.blocks ?? [])
    .filter(({ mode }) => mode !== 'self')
    .map(({ start }) => siteDayOf(start, timeZone))
}

/** Given grants of an owner, held grants of an electrician. If they fail to load, none are shown. */
function useGrants(sn: string | null) {
  const { data } = useQuery(grantsQuery)
  const all = [...(data?.given ?? []), ...(data?.held ?? [])]
  return sn === ALL_SYSTEMS ? all : all.filter((grant) => grant.sn === sn)
}

export type CalendarMonth = ReturnType<typeof useMonth>
