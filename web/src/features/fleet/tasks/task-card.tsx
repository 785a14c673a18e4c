import { ChevronRight } from 'lucide-react'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { TASK_ICON } from './task-icon'
import { TaskLink } from './task-link'
import { type Task, useTasks } from './use-tasks'

/** The electrician's tasks, each with a link, on the start page. */
export function TaskCard({ className }: { className?: string }) {
  const { t } = useT()
  const tasks = useTasks()
  if (tasks.length === 0) return null
  return (
    <section aria-labelledby="tasks" className={cn('card px-4 py-2 lg:px-5', className)}>
      <h2 id="tasks" className="pt-1.5 text-sm font-medium text-muted">
        {t('fleet.task.title')}
      </h2>
      <ul className="divide-y divide-line">
        {tasks.map((task) => (
          <li key={task.kind}>
            <Line task={task} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Line({ task }: { task: Task }) {
  const Icon = TASK_ICON[task.kind]
  return (
    <TaskLink
      task={task}
      className="flex min-h-11 items-center gap-3 rounded-lg py-2 text-md hover:underline"
    >
      <Icon aria-hidden className="size-4.5 shrink-0 text-warn" />
      <span className="min-w-0 flex-1">
        {task.text}
        {task.serials.length <= 3 && (
          <span className="num text-sm text-muted wrap-anywhere"> {task.serials.join(', ')}</span>
        )}
      </span>
      <ChevronRight aria-hidden className="size-4 shrink-0 text-muted" />
    </TaskLink>
  )
}
