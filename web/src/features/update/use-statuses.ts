import { useQueries } from '@tanstack/react-query'
import { useT } from '@/lib/i18n/use-t'
import { statusQuery, type UpdateStatus } from './api'
import { pollAfter } from './model'

export type Answer = {
  sn: string
  status: UpdateStatus | undefined
  /** When it came. */
  at: number
  error: Error | null
}

/** Asks about these systems for as long as the page is open. One that does not answer does not silence the others. */
export function useStatuses(serials: readonly string[], chosen: string | null) {
  const { locale } = useT()
  return useQueries({
    queries: serials.map((sn) => ({
      ...statusQuery(sn, locale),
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
