import { CalendarClock, ClipboardList, type LucideIcon, Power, UserCheck } from 'lucide-react'
import type { Waiting } from './use-waiting'

export const WAITING_ICON: Record<Waiting['kind'], LucideIcon> = {
  switch: Power,
  invitations: UserCheck,
  ending: CalendarClock,
  commissionings: ClipboardList,
}
