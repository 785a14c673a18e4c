import { CalendarPage } from '@/features/calendar/calendar-page'
import { ToDashboard } from '../to-dashboard'

export const Calendar = () => <CalendarPage action={<ToDashboard />} />
