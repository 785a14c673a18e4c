import type { ReactNode } from 'react'
import { ErrorBoundary, PagePart } from '@/components/ui/page-part'
import { Skeleton } from '@/components/ui/skeleton'
import { WhenNear } from '@/components/ui/when-near'
import { DashboardPage } from '@/features/dashboard/dashboard-page'
import { lazyPart } from '@/lib/lazy-part'
import { EndInForce } from './end-in-force'

const AlarmNotice = lazyPart(async () => (await import('@/features/alarms/alarm-notice')).AlarmNotice)
const DecisionsNotice = lazyPart(
  async () => (await import('@/features/dashboard/decisions-notice')).DecisionsNotice,
)
const MoneyCard = lazyPart(async () => (await import('@/features/money/money-card')).MoneyCard)
const BigChart = lazyPart(async () => (await import('@/features/charts/big-chart')).BigChart)
const WeatherNotice = lazyPart(
  async () => (await import('@/features/dashboard/weather-notice')).WeatherNotice,
)
const PlanCard = lazyPart(async () => (await import('@/features/plan/plan-card')).PlanCard)
const MessagesCard = lazyPart(async () => (await import('@/components/live/messages-card')).MessagesCard)
const SmallCharts = lazyPart(async () => (await import('@/features/charts/small-charts')).SmallCharts)
const OutlookCard = lazyPart(async () => (await import('@/features/dashboard/outlook-card')).OutlookCard)
const SystemList = lazyPart(async () => (await import('@/features/systems/system-list')).SystemList)

type LaterProps = {
  /** The content's height, so that nothing moves. */
  height: string
  children: ReactNode
}

/** Loads content when it comes near the visible area, with a placeholder before. */
function Later({ height, children }: LaterProps) {
  const place = <Skeleton className={height} />
  return (
    <WhenNear placeholder={place}>
      <PagePart fallback={<div aria-busy>{place}</div>}>{children}</PagePart>
    </WhenNear>
  )
}

/** The pages combine features, which must not import each other. */
export const Dashboard = () => (
  <DashboardPage
    alarms={(entry) => (
      <ErrorBoundary>
        <AlarmNotice entry={entry} />
      </ErrorBoundary>
    )}
    endInForce={(one, sn) => <EndInForce one={one} sn={sn} />}
    decisions={
      <ErrorBoundary>
        <DecisionsNotice />
      </ErrorBoundary>
    }
    weather={
      <ErrorBoundary>
        <WeatherNotice />
      </ErrorBoundary>
    }
    money={
      <Later height="h-[369px] sm:h-[264px]">
        <MoneyCard />
      </Later>
    }
    chart={
      <Later height="h-[718px] sm:h-[799px] xl:h-[613px]">
        <BigChart />
      </Later>
    }
    plan={
      <Later height="h-[178px] sm:h-[164px]">
        <PlanCard />
      </Later>
    }
    messages={(reading) => (
      <Later height="h-[200px] sm:h-[330px] lg:h-[129px]">
        <MessagesCard reading={reading} />
      </Later>
    )}
    energy={
      <Later height="h-[322px] sm:h-[670px] xl:h-[433px]">
        <SmallCharts />
      </Later>
    }
    systems={
      <Later height="h-[160px]">
        <SystemList />
      </Later>
    }
    outlook={
      <Later height="h-[310px]">
        <OutlookCard />
      </Later>
    }
  />
)
