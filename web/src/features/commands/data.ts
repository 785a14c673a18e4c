/** Commands to batteries. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import type { Locale } from '@/lib/i18n/locales'
import type { Command, Order } from './model'

export const allCommands = { queryKey: ['command'] } as const

/** The battery's sentence is translated by the server, so the key contains the language. */
export const commandQuery = (id: string, locale: Locale) =>
  queryOptions<Command>({
    queryKey: [...allCommands.queryKey, id, locale],
    queryFn: () => unwrap(api.GET('/api/auth/command/{id}/', { params: { path: { id } } })),
  })

export const sendCommand = (order: Order) => unwrap(api.POST('/api/auth/command/', { body: order }))
