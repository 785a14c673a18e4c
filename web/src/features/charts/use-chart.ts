import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { graphQuery } from '@/lib/data/charts'
import { systemsQuery } from '@/lib/data/systems'
import { useLive } from '@/lib/live/use-live'
import { selectable, useSelection } from '@/lib/selection'
import { siteDayOf } from '@/lib/site-day'
import { dateBefore } from './model/before'
import { type ChartSearch, choiceOf, isGrowing, readChartSearch, systemsOf, withZoom } from './model/choice'
import { parseRange } from './model/range'
import { measuredOf } from './model/series'
import { PlotGroup } from './plot/group'

/**
 * The address's chart, its data, and functions to change it. @param comparing whether further systems are
 * allowed
 */
export function useChart(comparing: boolean) {
  const navigate = useNavigate()
  const search = readChartSearch(useSearch({ strict: false }))
  const { sn, serials } = useSelection()
  /** The list of systems is still loading. */
  const waiting = useQuery(systemsQuery).isPending && sn === null
  const { data: live } = useLive()
  const timeZone = sn === null ? undefined : live?.entries[sn]?.time_zone
  const today = siteDayOf(Date.now() + (live?.skew ?? 0), timeZone)
  const choice = choiceOf(search, today)
  const systems = sn === null ? [] : systemsOf(comparing ? search : {}, sn, selectable(serials))
  const { interval, date, resolution, method, series, before } = choice
  const requests = systems.map((system) => ({ sn: system, interval, date, resolution, method, series }))
  const queries = useQueries({
    queries: requests.map((request) => ({
      ...graphQuery(request, isGrowing(choice, today)),
      enabled: series.length > 0,
    })),
  })
  const measured = measuredOf(series)
  const befores = useQueries({
    queries:
      before === null
        ? []
        : requests.map((request) => ({
            ...graphQuery({ ...request, date: dateBefore(date, interval, before), series: measured }, false),
            // The last choice's comparison must not be shown for this one.
            placeholderData: undefined,
            enabled: measured.length > 0,
          })),
  }).map(({ data }) => data)
  const change = useCallback(
    (next: ChartSearch, replace = false) =>
      void navigate({ to: '.', search: next, resetScroll: false, replace }),
    [navigate],
  )
  return {
    systems,
    waiting,
    choice,
    search,
    today,
    requests,
    queries,
    befores,
    change,
    group: useZoom(search, change),
  }
}

/**
 * The plots, whose zoom is kept in the address. A zoom replaces the history entry, so that "back" leaves the
 * chart.
 */
function useZoom(search: ChartSearch, change: (next: ChartSearch, replace: boolean) => void) {
  const [group] = useState(() => new PlotGroup())
  useEffect(() => {
    group.onSettled = (zoom) => change(withZoom(search, zoom), true)
  })
  const { zoom } = search
  useEffect(() => group.restore(parseRange(zoom)), [group, zoom])
  useEffect(() => () => group.stop(), [group])
  return group
}
