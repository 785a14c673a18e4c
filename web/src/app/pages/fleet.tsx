import { FleetPage } from '@/features/fleet/fleet-page'
import { SystemList } from '@/features/systems/system-list'

export const Fleet = () => <FleetPage systems={<SystemList />} />
