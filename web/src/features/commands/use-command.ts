import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ANSWER_POLL } from '@/lib/constants'
import { useT } from '@/lib/i18n/use-t'
import { listen } from '@/lib/live/listeners'
import { invalidate } from '@/lib/query-client'
import { allCommands, commandQuery, sendCommand } from './data'
import { type Command, type CommandName, isOpen, newKey, type Order } from './model'

type Arguments = Pick<Order, 'soc' | 'power' | 'until'>

/** Sends commands to a system and follows the last one to its end. */
export function useCommand(sn: string) {
  const { locale } = useT()
  const client = useQueryClient()
  const give = useMutation({
    mutationFn: sendCommand,
    onSuccess: (command) => client.setQueryData(commandQuery(command.id, locale).queryKey, command),
  })
  useEffect(
    () =>
      listen((news) => {
        if (news === 'opened') void invalidate(allCommands)
        else if (news.name === 'command') {
          const command = JSON.parse(news.data) as Command
          client.setQueryData(commandQuery(command.id, locale).queryKey, command)
        }
      }),
    [client, locale],
  )
  const id = give.data?.id ?? ''
  const { data: command } = useQuery({
    ...commandQuery(id, locale),
    enabled: id !== '',
    // Polled, because the event stream may be down.
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? ANSWER_POLL : false),
  })
  return {
    command: give.isPending || give.error ? undefined : command,
    /** Each click has its own key, so that the battery runs it once. */
    give: (name: CommandName, more: Arguments = {}) =>
      give.mutate({ ...more, sn, command: name, key: newKey() }),
    /** Repeats the same request with the same key, when its answer was lost. */
    again: () => give.variables && give.mutate(give.variables),
    /** The last requested command. */
    name: give.variables?.command as CommandName | undefined,
    error: give.error,
    busy: give.isPending || (command !== undefined && isOpen(command)),
  }
}

export type CommandState = ReturnType<typeof useCommand>
