import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, unwrap } from '@/lib/api/client'
import { ANSWER_POLL, LIVE_REFRESH } from '@/lib/constants'
import type { Locale } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { listen } from '@/lib/live/listeners'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { keepSettings, keptSettings } from './model/cache'
import type { SystemSettings } from './model/fields'

type Systems = readonly SystemSettings[]

/** Of all systems. Reasons of the battery are in a language, so each language has an answer of its own. */
const settingsQuery = (locale: Locale) =>
  queryOptions<Systems>({
    queryKey: ['settings', locale],
    queryFn: readSettings,
    structuralSharing: (known, answer) => newerOf(known as Systems | undefined, answer as Systems),
  })

async function readSettings(): Promise<Systems> {
  const answer = await unwrap(api.GET('/api/auth/settings/', { params: { query: { sn: ALL_SYSTEMS } } }))
  const systems = Array.isArray(answer) ? answer : [answer]
  keepSettings(systems)
  return systems
}

/** An answer that was under way while the stream brought something newer does not bring the old back. */
export function newerOf(known: Systems | undefined, answer: Systems): Systems {
  return answer.map((system) => {
    const before = known?.find(({ sn }) => sn === system.sn)
    return before && isNewer(before, system) ? before : system
  })
}

const isNewer = (one: SystemSettings, other: SystemSettings) =>
  one.version > other.version || (one.reported_at ?? 0) > (other.reported_at ?? 0)

/** The settings of all systems, as they change. An error leaves the last known ones. */
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
          keepSettings([changed])
          client.setQueryData(key, (systems) =>
            systems?.map((system) => (system.sn === changed.sn ? changed : system)),
          )
        }
      }),
    [client, locale],
  )
  const query = useQuery({
    ...settingsQuery(locale),
    initialData: () => keptSettings()?.systems,
    initialDataUpdatedAt: () => keptSettings()?.at,
    refetchInterval: ({ state }) =>
      state.data?.some((system) => system.state === 'sent') ? ANSWER_POLL : LIVE_REFRESH,
  })
  return { ...query, readAgain: () => client.refetchQueries({ queryKey }, { throwOnError: true }) }
}
