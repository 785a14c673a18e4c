import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, unwrap } from '@/lib/api/client'
import { ANSWER_POLL, LIVE_REFRESH } from '@/lib/constants'
import type { Locale } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { listen } from '@/lib/live/listeners'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { cachedSettings, cacheSettings } from './model/cache'
import type { SystemSettings } from './model/fields'

type Systems = readonly SystemSettings[]

/**
 * The settings of all systems. The battery's reasons are translated by the server, so the key contains the
 * language.
 */
const settingsQuery = (locale: Locale) =>
  queryOptions<Systems>({
    queryKey: ['settings', locale],
    queryFn: readSettings,
    structuralSharing: (known, answer) => newerOf(known as Systems | undefined, answer as Systems),
  })

async function readSettings(): Promise<Systems> {
  const answer = await unwrap(api.GET('/api/auth/settings/', { params: { query: { sn: ALL_SYSTEMS } } }))
  const systems = Array.isArray(answer) ? answer : [answer]
  cacheSettings(systems)
  return systems
}

/** An answer that is older than what the stream delivered does not replace it. */
export function newerOf(known: Systems | undefined, answer: Systems): Systems {
  return answer.map((system) => {
    const before = known?.find(({ sn }) => sn === system.sn)
    return before && isNewer(before, system) ? before : system
  })
}

const isNewer = (one: SystemSettings, other: SystemSettings) =>
  one.version > other.version || (one.reported_at ?? 0) > (other.reported_at ?? 0)

/** The settings of all systems, kept up to date. An error keeps the last known ones. */
export function useSettings() {
  const { locale } = useT()
  const client = useQueryClient()
  const { queryKey } = settingsQuery(locale)
  useEffect(
    () =>
      listen((news) => {
        const key = settingsQuery(locale).queryKey
        if (news === 'opened') void client.invalidateQueries({ queryKey: key })
        else if (news.name === 'settings') {
          const changed = JSON.parse(news.data) as SystemSettings
          cacheSettings([changed])
          client.setQueryData(key, (systems) =>
            systems?.map((system) => (system.sn === changed.sn ? changed : system)),
          )
        }
      }),
    [client, locale],
  )
  const query = useQuery({
    ...settingsQuery(locale),
    initialData: () => cachedSettings()?.systems,
    initialDataUpdatedAt: () => cachedSettings()?.at,
    refetchInterval: ({ state }) =>
      state.data?.some((system) => system.state === 'sent') ? ANSWER_POLL : LIVE_REFRESH,
  })
  return { ...query, readAgain: () => client.refetchQueries({ queryKey }, { throwOnError: true }) }
}
