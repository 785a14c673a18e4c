import { useQuery } from '@tanstack/react-query'
import { useT } from '../i18n/use-t'
import { isAuthenticated } from '../session/tokens'
import { liveQuery } from './live-query'

/** Live data. An error keeps the last values, whose age is shown. */
export function useLive() {
  const { locale } = useT()
  return useQuery({ ...liveQuery(locale), enabled: isAuthenticated() })
}

/** Server time minus local time in ms. */
export function useSkew(): number {
  const { locale } = useT()
  const { data } = useQuery({ ...liveQuery(locale), enabled: isAuthenticated(), select: ({ skew }) => skew })
  return data ?? 0
}
