import { useQuery } from '@tanstack/react-query'
import { pendingCount, pendingGrantsQuery } from '@/lib/data/grants'
import { NotificationBell } from './notification-bell'

export function OwnerBell() {
  const { data: grants } = useQuery(pendingGrantsQuery)
  return <NotificationBell decisions={pendingCount(grants)} />
}
