import { CalendarPage } from '@/features/calendar/calendar-page'

export const Calendar = () => <CalendarPage />
