import { useQuery } from '@tanstack/react-query'
import { monthEnergyQuery } from '@/lib/data/charts'
import { monthSavingsQuery, tariffQuery } from '@/lib/data/money'
import { useSite } from '@/lib/use-site'

/** The prices of the selected systems, and the month's energy and money. */
export function useMoney() {
  const { sn, today } = useSite()
  const asked = { enabled: sn !== null }
  const tariffs = useQuery({ ...tariffQuery(sn ?? ''), ...asked })
  const savings = useQuery({ ...monthSavingsQuery(sn ?? '', today), ...asked })
  const energy = useQuery({ ...monthEnergyQuery(sn ?? '', today), ...asked })
  const failed = [tariffs, savings, energy].filter(({ error }) => error)
  return {
    sn,
    today,
    tariffs: tariffs.data,
    savings: savings.data,
    energy: energy.data,
    error: failed[0]?.error ?? null,
    /** The age of the oldest answer that is shown. */
    at: Math.min(tariffs.dataUpdatedAt, savings.dataUpdatedAt, energy.dataUpdatedAt),
    retrying: failed.some(({ isFetching }) => isFetching),
    retry: () => {
      for (const query of failed) void query.refetch()
    },
  }
}

export type MoneyData = ReturnType<typeof useMoney>
