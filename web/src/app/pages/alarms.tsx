import { AlarmsPage } from '@/features/alarms/alarms-page'

export const Alarms = () => <AlarmsPage />
