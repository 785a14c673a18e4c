import { lazy, Suspense } from 'react'
import { Skeleton } from '@/components/ui/skeleton'
import { DashboardPage } from '@/features/dashboard/dashboard-page'
import { SystemList } from '@/features/systems/system-list'
import { loadChunk } from '@/lib/load-chunk'

/** Money and charts are not needed at first sight: they come in chunks of their own, and keep their place until then. */
const MoneyCard = lazy(async () => {
  const { MoneyCard: Card } = await loadChunk(() => import('@/features/money/money-card'))
  return { default: Card }
})
const BigChart = lazy(async () => {
  const { BigChart: Chart } = await loadChunk(() => import('@/features/charts/big-chart'))
  return { default: Chart }
})
const SmallCharts = lazy(async () => {
  const { SmallCharts: Charts } = await loadChunk(() => import('@/features/charts/small-charts'))
  return { default: Charts }
})

/** Pages that are put together from several features, which must not know each other. */
export const Dashboard = () => (
  <DashboardPage
    money={
      <Suspense fallback={<Skeleton className="h-[498px] sm:h-[267px] xl:h-[231px]" />}>
        <MoneyCard />
      </Suspense>
    }
    chart={
      <Suspense fallback={<Skeleton className="h-[498px]" />}>
        <BigChart />
      </Suspense>
    }
    energy={
      <Suspense fallback={<Skeleton className="h-[360px]" />}>
        <SmallCharts />
      </Suspense>
    }
    systems={<SystemList />}
  />
)
