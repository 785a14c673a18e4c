import { Link } from '@tanstack/react-router'
import { BellRing, CloudDownload, UserCheck } from 'lucide-react'
import { MenuItem, MenuLabel } from '@/components/ui/dropdown-menu'
import { TASK_ICON } from '@/features/fleet/tasks/task-icon'
import { TaskLink } from '@/features/fleet/tasks/task-link'
import type { Task } from '@/features/fleet/tasks/use-tasks'
import { useT } from '@/lib/i18n/use-t'
import { useSession } from '@/lib/session/session-store'

type Props = {
  alarms: number
  /** Requests and unconfirmed grants of an owner. */
  decisions: number
  /** Tasks of an electrician. */
  tasks: readonly Task[]
  /** Serial numbers with a pending update. */
  pending: readonly string[]
}

/** The bell's menu items. Electricians have neither an update nor an alarms page: their fleet shows both. */
export function BellItems({ alarms, decisions, tasks, pending }: Props) {
  const { t } = useT()
  const electrician = useSession(({ role }) => role === 'electrician')
  const alarmed = (
    <>
      <BellRing aria-hidden />
      {t('nav.alarms')}
      <span className="num text-muted">{alarms}</span>
    </>
  )
  const updates = t('top.updates_pending', { count: pending.length })
  return (
    <>
      {alarms > 0 && (
        <MenuItem asChild>
          {electrician ? (
            <Link to="/electrician-dashboard" search={{ show: 'alarm' }}>
              {alarmed}
            </Link>
          ) : (
            <Link to="/alarms">{alarmed}</Link>
          )}
        </MenuItem>
      )}
      {decisions > 0 && (
        <MenuItem asChild>
          <Link to="/settings" hash="grants">
            <UserCheck aria-hidden />
            {t('pending.decisions', { count: decisions })}
          </Link>
        </MenuItem>
      )}
      {tasks.map((task) => {
        const Icon = TASK_ICON[task.kind]
        return (
          <MenuItem key={task.kind} asChild>
            <TaskLink task={task}>
              <Icon aria-hidden />
              {task.text}
            </TaskLink>
          </MenuItem>
        )
      })}
      {pending.length === 0 ? (
        <MenuItem disabled>{t('top.no_update')}</MenuItem>
      ) : electrician ? (
        <MenuItem asChild>
          <Link to="/electrician-dashboard" search={{ show: 'update' }}>
            <CloudDownload aria-hidden />
            {updates}
          </Link>
        </MenuItem>
      ) : (
        <>
          <MenuLabel>{updates}</MenuLabel>
          {pending.map((sn) => (
            <MenuItem key={sn} asChild>
              <Link to="/update" search={{ sn }}>
                <CloudDownload aria-hidden />
                <span className="num">{sn}</span>
              </Link>
            </MenuItem>
          ))}
        </>
      )}
    </>
  )
}
