import { PlanPage } from '@/features/plan/plan-page'

export const ChargePlan = () => <PlanPage />
