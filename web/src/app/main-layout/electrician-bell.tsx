import { useTasks } from '@/features/fleet/tasks/use-tasks'
import { NotificationBell } from './notification-bell'

export const ElectricianBell = () => <NotificationBell tasks={useTasks()} />
