/** Requests for alarms and alarm mails. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import type { components } from '@/lib/api/schema'
import { LIVE_REFRESH } from '@/lib/constants'
import type { Locale } from '@/lib/i18n/locales'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { invalidate } from '@/lib/query-client'

export type Alarm = components['schemas']['AlarmEntry']
type Alarms = components['schemas']['Alarms']
export type AlarmMail = components['schemas']['Alarms']['mail']

const allAlarms = { queryKey: ['alarms'] } as const

type AlarmsRequest = {
  sn: string
  page: number
  locale: Locale
  /** A key from the live data; a change causes a refetch. */
  open: string
}

export const alarmsQuery = ({ sn, page, locale, open }: AlarmsRequest) =>
  queryOptions({
    queryKey: [...allAlarms.queryKey, sn, page, locale, open],
    queryFn: async () =>
      (await unwrap(
        api.GET('/api/auth/alarm/', { params: { query: { sn, page: String(page) } } }),
      )) as Alarms,
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: LIVE_REFRESH,
  })

/** The setting is part of the same answer. */
export const alarmMailQuery = (locale: Locale) => ({
  ...alarmsQuery({ sn: ALL_SYSTEMS, page: 1, locale, open: '' }),
  refetchInterval: false as const,
})

export async function acknowledge(id: number) {
  await unwrap(api.POST('/api/auth/alarm/', { body: { id: String(id) } }))
  await invalidate(allAlarms)
}

/** Adds a comment, visible to everybody who sees the alarm. */
export async function comment(id: number, text: string) {
  await unwrap(api.POST('/api/auth/alarm/comment/', { body: { id: String(id), text } }))
  await invalidate(allAlarms)
}

/** Closes the alarm by hand; `text` is the reason. */
export async function dismiss(id: number, text: string) {
  await unwrap(api.POST('/api/auth/alarm/dismiss/', { body: { id: String(id), text } }))
  await invalidate(allAlarms)
}

/** Every stored alarm, as a spreadsheet. */
export const alarmFile = async (sn: string) =>
  (await unwrap(
    api.GET('/api/auth/alarm/', { params: { query: { sn, format: 'csv' } }, parseAs: 'blob' }),
  )) as unknown as Blob

export async function chooseAlarmMail(mail: AlarmMail) {
  await unwrap(api.POST('/api/auth/alarm/mail/', { body: { mail } }))
  await invalidate(allAlarms)
}
