import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ANSWER_POLL, LIVE_REFRESH } from '@/lib/constants'
import { useT } from '@/lib/i18n/use-t'
import { listen } from '@/lib/live/listeners'
import { invalidate } from '@/lib/query-client'
import { settingsQuery } from './data'
import { cachedSettings, cacheSettings } from './model/cache'
import type { SystemSettings } from './model/fields'

/** The settings of all systems, kept up to date. An error keeps the last known ones. */
export function useSettings() {
  const { locale } = useT()
  const client = useQueryClient()
  const { queryKey } = settingsQuery(locale)
  useEffect(
    () =>
      listen((news) => {
        if (news === 'opened') void invalidate(settingsQuery(locale))
        else if (news.name === 'settings') {
          const changed = JSON.parse(news.data) as SystemSettings
          cacheSettings([changed])
          client.setQueryData(settingsQuery(locale).queryKey, (systems) =>
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
