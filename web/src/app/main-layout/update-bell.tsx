import { useQuery } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import { useWaiting } from '@/components/access/use-waiting'
import { Button } from '@/components/ui/button'
import { Menu } from '@/components/ui/menu'
import { pendingCount, pendingGrantsQuery } from '@/lib/api/grants'
import { useT } from '@/lib/i18n/use-t'
import { unseenAlarms, updatableOf } from '@/lib/live/live'
import { useLive } from '@/lib/live/use-live'
import { useSession } from '@/lib/session/session-store'

/** Alarms that nobody has seen, what waits for the reader, and pending updates, each a way to what can be done. */
export function UpdateBell() {
  const { t } = useT()
  const { data: live } = useLive()
  const pending = live ? updatableOf(live) : []
  const alarms = live ? unseenAlarms(live) : 0
  const { data: grants } = useQuery(pendingGrantsQuery)
  const electrician = useSession(({ role }) => role === 'electrician')
  const forElectricians = useWaiting()
  const waiting = electrician ? forElectricians : []
  const decisions = electrician ? 0 : pendingCount(grants)
  const news = [
    alarms > 0 && `${t('nav.alarms')}: ${alarms}`,
    decisions > 0 && t('pending.decisions', { count: decisions }),
    ...waiting.map(({ kind, count }) => t(`pending.${kind}`, { count })),
    pending[0] && t('top.updates_pending', { count: pending.length }),
  ].filter(Boolean)
  return (
    <Menu
      parts={() => import('./bell-menu')}
      trigger={
        <Button
          variant="ghost"
          size="icon"
          aria-label={news.join(', ') || t('top.updates')}
          className="relative"
        >
          <Bell aria-hidden className="size-4.75" />
          {news[0] && (
            <span
              aria-hidden
              className={`absolute top-2.5 right-2.5 size-2 rounded-full ring-2 ring-bg ${alarms > 0 ? 'bg-danger' : 'bg-warn'}`}
            />
          )}
        </Button>
      }
    >
      {(menu) => <menu.BellItems alarms={alarms} decisions={decisions} waiting={waiting} pending={pending} />}
    </Menu>
  )
}
