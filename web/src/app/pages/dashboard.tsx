import { type ReactNode, Suspense } from 'react'
import { Skeleton } from '@/components/ui/skeleton'
import { WhenNear } from '@/components/ui/when-near'
import { DashboardPage } from '@/features/dashboard/dashboard-page'
import { lazyPart } from '@/lib/lazy-part'

const MoneyCard = lazyPart(async () => (await import('@/features/money/money-card')).MoneyCard)
const BigChart = lazyPart(async () => (await import('@/features/charts/big-chart')).BigChart)
const SmallCharts = lazyPart(async () => (await import('@/features/charts/small-charts')).SmallCharts)
const SystemList = lazyPart(async () => (await import('@/features/systems/system-list')).SystemList)

type LaterProps = {
  /** As high as what comes, so that nothing moves. */
  height: string
  children: ReactNode
}

/** What is not needed at first sight comes when it is near, and keeps its place until then. */
function Later({ height, children }: LaterProps) {
  const place = <Skeleton className={height} />
  return (
    <WhenNear placeholder={place}>
      <Suspense fallback={<div aria-busy>{place}</div>}>{children}</Suspense>
    </WhenNear>
  )
}

/** Pages that are put together from several features, which must not know each other. */
export const Dashboard = () => (
  <DashboardPage
    money={
      <Later height="h-[490px] sm:h-[264px] xl:h-[231px]">
        <MoneyCard />
      </Later>
    }
    chart={
      <Later height="h-[836px] sm:h-[757px] xl:h-[571px]">
        <BigChart />
      </Later>
    }
    energy={
      <Later height="h-[1092px] sm:h-[670px] xl:h-[433px]">
        <SmallCharts />
      </Later>
    }
    systems={
      <Later height="h-[160px]">
        <SystemList />
      </Later>
    }
  />
)
