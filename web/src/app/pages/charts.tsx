import { ChartsPage } from '@/features/charts/charts-page'

export const Charts = () => <ChartsPage />
