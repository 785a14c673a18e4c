import { useIsMutating, useQueries } from '@tanstack/react-query'
import { REPLACEMENT } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { statusQuery, type UpdateStatus } from './data'
import { pollAfter } from './model'

export type Answer = {
  sn: string
  status: UpdateStatus | undefined
  /** Arrival time. */
  at: number
  error: Error | null
}

/** Polls the status of these systems. A failing one does not affect the others. */
export function useStatuses(serials: readonly string[], chosen: string | null) {
  const { locale } = useT()
  // A unit that is being replaced no longer answers.
  const replacing = useIsMutating({ mutationKey: REPLACEMENT }) > 0
  return useQueries({
    queries: serials.map((sn) => ({
      ...statusQuery(sn, locale),
      enabled: !replacing,
      refetchInterval: ({ state }: { state: { dataUpdateCount: number; errorUpdateCount: number } }) =>
        pollAfter(state.dataUpdateCount + state.errorUpdateCount, chosen !== null),
    })),
    combine: (results) => ({
      answers: results.map(
        ({ data, error, dataUpdatedAt }, place): Answer => ({
          sn: serials[place] ?? '',
          status: data,
          at: dataUpdatedAt,
          error,
        }),
      ),
      askAgain: () => Promise.all(results.map(({ refetch }) => refetch())),
      isAsking: results.some(({ isFetching }) => isFetching),
    }),
  })
}
