import { Bell } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Menu } from '@/components/ui/menu'
import type { Task } from '@/features/fleet/tasks/use-tasks'
import { useT } from '@/lib/i18n/use-t'
import { unseenAlarms, updatableOf } from '@/lib/live/live'
import { useLive } from '@/lib/live/use-live'

type Props = {
  /** Requests and unconfirmed grants of an owner. */
  decisions?: number
  /** Tasks of an electrician. */
  tasks?: readonly Task[]
}

/** Unacknowledged alarms, pending decisions, tasks and pending updates, each with a link. */
export function NotificationBell({ decisions = 0, tasks = [] }: Props) {
  const { t } = useT()
  const { data: live } = useLive()
  const pending = live ? updatableOf(live) : []
  const alarms = live ? unseenAlarms(live) : 0
  const news = [
    alarms > 0 && t('nav.alarms.count', { count: alarms }),
    decisions > 0 && t('pending.decisions', { count: decisions }),
    ...tasks.map(({ text }) => text),
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
      {(menu) => <menu.BellItems alarms={alarms} decisions={decisions} tasks={tasks} pending={pending} />}
    </Menu>
  )
}
