import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { graphQuery } from '@/lib/api/chart-queries'
import { useLive } from '@/lib/live/use-live'
import { useSelection } from '@/lib/selection'
import { siteDayOf } from '@/lib/site-day'
import { type ChartSearch, choiceOf, isGrowing, readChartSearch } from './model/choice'

/** What the address asks for, the data of it, and a way to ask for something else. */
export function useChart() {
  const navigate = useNavigate()
  const search = readChartSearch(useSearch({ strict: false }))
  const { sn } = useSelection()
  const { data: live } = useLive()
  const timeZone = sn === null ? undefined : live?.entries[sn]?.time_zone
  const today = siteDayOf(Date.now() + (live?.skew ?? 0), timeZone)
  const choice = choiceOf(search, today)
  const { interval, date, resolution, method, series } = choice
  const request = { sn: sn ?? '', interval, date, resolution, method, series }
  const query = useQuery({
    ...graphQuery(request, isGrowing(choice, today)),
    enabled: sn !== null && series.length > 0,
  })
  const change = useCallback(
    (next: ChartSearch) => void navigate({ to: '.', search: next, resetScroll: false }),
    [navigate],
  )
  return { sn, choice, search, today, request, query, change }
}
