import type { ReactNode } from 'react'
import { FailingAlone, PagePart } from '@/components/ui/page-part'
import { Skeleton } from '@/components/ui/skeleton'
import { WhenNear } from '@/components/ui/when-near'
import { DashboardPage } from '@/features/dashboard/dashboard-page'
import { openTexts, type TextPart } from '@/lib/i18n/i18n'
import { lazyPart } from '@/lib/lazy-part'
import { EndInForce } from './end-in-force'

/** What is loaded later brings its texts along. */
const withTexts = async <M,>(module: Promise<M>, part: TextPart = 'outlook') =>
  (await Promise.all([module, openTexts(part)]))[0]

const AlarmNotice = lazyPart(
  async () => (await withTexts(import('@/features/alarms/alarm-notice'))).AlarmNotice,
)
const DecisionsNotice = lazyPart(
  async () => (await withTexts(import('@/features/dashboard/decisions-notice'))).DecisionsNotice,
)
const MoneyCard = lazyPart(async () => (await import('@/features/money/money-card')).MoneyCard)
const BigChart = lazyPart(async () => (await import('@/features/charts/big-chart')).BigChart)
const WeatherNotice = lazyPart(
  async () => (await withTexts(import('@/features/dashboard/weather-notice'), 'plan')).WeatherNotice,
)
const PlanCard = lazyPart(async () => (await withTexts(import('@/features/plan/plan-card'), 'plan')).PlanCard)
const MessagesCard = lazyPart(async () => (await import('@/components/live/messages-card')).MessagesCard)
const SmallCharts = lazyPart(
  async () => (await withTexts(import('@/features/charts/small-charts'))).SmallCharts,
)
const OutlookCard = lazyPart(
  async () => (await withTexts(import('@/features/dashboard/outlook-card'))).OutlookCard,
)
const SystemList = lazyPart(
  async () => (await withTexts(import('@/features/systems/system-list'))).SystemList,
)

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
      <PagePart fallback={<div aria-busy>{place}</div>}>{children}</PagePart>
    </WhenNear>
  )
}

/** Pages that are put together from several features, which must not know each other. */
export const Dashboard = () => (
  <DashboardPage
    alarms={(entry) => (
      <FailingAlone>
        <AlarmNotice entry={entry} />
      </FailingAlone>
    )}
    endInForce={(one, sn) => <EndInForce one={one} sn={sn} />}
    decisions={
      <FailingAlone>
        <DecisionsNotice />
      </FailingAlone>
    }
    weather={
      <FailingAlone>
        <WeatherNotice />
      </FailingAlone>
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
