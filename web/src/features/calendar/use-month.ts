import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { energyQuery, monthEnergyQuery } from '@/lib/api/chart-queries'
import { monthSavingsQuery, tariffQuery } from '@/lib/api/money-queries'
import { currencyOf } from '@/lib/money'
import { useSession } from '@/lib/session/session-store'
import { useSite } from '@/lib/use-site'
import { daysOf, plannedOf } from './model/day'
import { firstDay, monthOf, monthsBetween } from './model/month'
import { type Month, readCalendarSearch } from './model/search'

/** The month that the address asks for, what stands in it, and a way to another one. */
export function useMonth() {
  const navigate = useNavigate()
  const search = readCalendarSearch(useSearch({ strict: false }))
  const { sn, entry, today } = useSite()
  const month = search.month ?? monthOf(today)
  const planned = plannedOf(entry?.calibration_days, today)

  const asked = { enabled: sn !== null }
  const energy = useQuery({ ...monthEnergyQuery(sn ?? '', firstDay(month)), ...asked })
  // What it costs is the owner's business alone.
  const owns = useSession(({ role }) => role === 'user')
  const money = { enabled: sn !== null && owns }
  const savings = useQuery({ ...monthSavingsQuery(sn ?? '', firstDay(month)), ...money })
  const tariffs = useQuery({ ...tariffQuery(sn ?? ''), ...money })
  const years = useQuery({ ...energyQuery(sn ?? '', `total_${today}`), ...asked }).data?.rows

  const queries = owns ? [energy, savings, tariffs] : [energy]
  const failed = queries.filter(({ error }) => error)
  const firstYear = Math.min(years?.[0]?.year ?? Number.POSITIVE_INFINITY, Number(month.slice(0, 4)))
  // The future holds nothing but what is planned.
  const latest = [monthOf(today), month, ...planned.map(({ day }) => monthOf(day))].sort().at(-1) ?? month
  return {
    sn,
    today,
    month,
    months: monthsBetween(firstYear, latest),
    days: daysOf({ month, today, chart: energy.data, savings: savings.data, planned }),
    energy: energy.data,
    tariffs: tariffs.data,
    currency: currencyOf(tariffs.data),
    /** Without the prices nobody knows what is meant by a number. */
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

export type CalendarMonth = ReturnType<typeof useMonth>
