import { ChartsPage } from '@/features/charts/charts-page'
import { ToDashboard } from '../to-dashboard'

export const Charts = () => <ChartsPage action={<ToDashboard />} />
