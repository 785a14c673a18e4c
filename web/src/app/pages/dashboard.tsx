import { DashboardPage } from '@/features/dashboard/dashboard-page'
import { SystemList } from '@/features/systems/system-list'

/** Pages that are put together from several features, which must not know each other. */
export const Dashboard = () => <DashboardPage chart={null} energy={null} systems={<SystemList />} />
