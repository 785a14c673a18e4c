import type { ComponentProps, ReactNode } from 'react'
import { FlowCard } from '@/components/live/flow-card'
import { MetricCards } from '@/components/live/metric-cards'
import { TodayCard } from '@/components/live/today-card'
import type { useCurrentValues } from '@/components/live/use-current-values'
import { PagePart } from '@/components/ui/page-part'

type FlowProps = ComponentProps<typeof FlowCard>
type Props = Pick<FlowProps, 'capacity' | 'now' | 'title' | 'inForce' | 'below'> & {
  sn: string
  values: ReturnType<typeof useCurrentValues>
  updating?: boolean
  /** Content below the cards, over both columns. */
  children?: ReactNode
}

/** The flow beside values and today, with further content below. */
export const LIVE_COLUMNS =
  'grid gap-4 lg:grid-cols-[minmax(23.75rem,5fr)_8fr] lg:grid-rows-[auto_1fr] lg:gap-5'

/** The current values of a system: energy flow, metrics, and today's energies. */
export function LiveValues({ sn, values, updating = false, now, children, ...flow }: Props) {
  const { reading, freshness, day, energies, asOf } = values
  return (
    <div className={LIVE_COLUMNS}>
      <div className="grid min-w-0 lg:row-span-2">
        <PagePart>
          <FlowCard reading={reading} freshness={freshness} updating={updating} now={now} {...flow} />
        </PagePart>
      </div>
      <div className="min-w-0 max-sm:order-last">
        <PagePart>
          <MetricCards
            sn={sn}
            day={day}
            reading={reading}
            freshness={freshness}
            energies={energies}
            energiesAsOf={asOf}
            now={now}
          />
        </PagePart>
      </div>
      <PagePart>
        <TodayCard energies={energies} asOf={asOf} />
      </PagePart>
      {children}
    </div>
  )
}
