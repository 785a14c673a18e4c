import { CalendarClock, ClipboardList, type LucideIcon, Power, UserCheck } from 'lucide-react'
import type { Task } from './use-tasks'

export const TASK_ICON: Record<Task['kind'], LucideIcon> = {
  switch: Power,
  invitations: UserCheck,
  ending: CalendarClock,
  commissionings: ClipboardList,
}
