import type { ReactNode } from 'react'
import { CARD_HEIGHT } from '@/components/ui/card-height'
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
      <Later height={CARD_HEIGHT.money}>
        <MoneyCard />
      </Later>
    }
    chart={
      <Later height={CARD_HEIGHT.chart}>
        <BigChart />
      </Later>
    }
    plan={
      <Later height="h-44.5 sm:h-41">
        <PlanCard />
      </Later>
    }
    messages={(reading) => (
      <Later height="h-50 sm:h-82.5 lg:h-32.25">
        <MessagesCard reading={reading} />
      </Later>
    )}
    energy={
      <Later height="h-80.5 sm:h-167.5 xl:h-108.25">
        <SmallCharts />
      </Later>
    }
    systems={
      <Later height="h-40">
        <SystemList />
      </Later>
    }
    outlook={
      <Later height="h-77.5">
        <OutlookCard />
      </Later>
    }
  />
)
