import { CARD_HEIGHT } from '@/components/ui/card-height'
import { PagePart } from '@/components/ui/page-part'
import { Skeleton } from '@/components/ui/skeleton'
import { ProtocolsCard } from '@/features/commissioning/protocols-card'
import { SystemPage } from '@/features/fleet/system-page'
import { SystemJournal } from '@/features/journal/system-journal'
import { lazyPart } from '@/lib/lazy-part'
import { EndInForce } from './end-in-force'

const AlarmsCard = lazyPart(async () => (await import('@/features/alarms/alarms-card')).AlarmsCard)
const ServiceCommands = lazyPart(
  async () => (await import('@/features/commands/service-commands')).ServiceCommands,
)
const FirmwareCard = lazyPart(async () => (await import('@/features/update/firmware-card')).FirmwareCard)
const SiteCard = lazyPart(async () => (await import('@/components/site/site-card')).SiteCard)
const CustomerCard = lazyPart(
  async () => (await import('@/features/fleet/customer/customer-card')).CustomerCard,
)
const BigChart = lazyPart(async () => (await import('@/features/charts/big-chart')).BigChart)

/** One system of the fleet, combined from several features. */
export const System = () => (
  <SystemPage
    chart={
      <PagePart fallback={<Skeleton className={CARD_HEIGHT.chart} />}>
        <BigChart />
      </PagePart>
    }
    site={(sn) => (
      <PagePart fallback={<Skeleton className="h-80" />}>
        <SiteCard key={sn} sn={sn} />
      </PagePart>
    )}
    customer={(sn) => (
      <PagePart fallback={<Skeleton className="h-80" />}>
        <CustomerCard key={sn} sn={sn} />
      </PagePart>
    )}
    protocols={(sn) => <ProtocolsCard serials={[sn]} quiet />}
    alarms={(sn) => (
      <PagePart fallback={<Skeleton className="h-40" />}>
        <AlarmsCard key={sn} sn={sn} />
      </PagePart>
    )}
    commands={(sn) => (
      <PagePart fallback={<Skeleton className="h-96" />}>
        <ServiceCommands key={sn} sn={sn} />
      </PagePart>
    )}
    firmware={(sn, service) => (
      <PagePart fallback={<Skeleton className="h-40" />}>
        <FirmwareCard key={sn} sn={sn} service={service} />
      </PagePart>
    )}
    journal={(sn) => <SystemJournal key={sn} sn={sn} />}
    endInForce={(one, sn) => <EndInForce one={one} sn={sn} />}
  />
)
