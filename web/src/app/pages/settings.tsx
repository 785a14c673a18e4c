import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { PagePart } from '@/components/ui/page-part'
import { Skeleton } from '@/components/ui/skeleton'
import { AccountPanel } from '@/features/account/account-panel'
import { CommandsCard } from '@/features/commands/commands-card'
import { MeterTest } from '@/features/commands/meter-test'
import { JournalCard } from '@/features/journal/journal-card'
import { TariffCard } from '@/features/money/tariff-card'
import { ProviderPrices } from '@/features/prices/provider-prices'
import { EndUserCard } from '@/features/settings/end-user-card'
import { FewSettings } from '@/features/settings/few-settings'
import { choiceText } from '@/features/settings/model/fields'
import { SettingsPage } from '@/features/settings/settings-page'
import { StorageSettings } from '@/features/settings/storage-settings'
import { accountQuery } from '@/lib/data/account'
import { useT } from '@/lib/i18n/use-t'
import { lazyPart } from '@/lib/lazy-part'
import { useSession } from '@/lib/session/session-store'

const AlarmMailCard = lazyPart(async () => (await import('@/features/alarms/mail-card')).MailCard)
const GrantsPanel = lazyPart(async () => (await import('@/features/grants/grants-panel')).GrantsPanel)
const BatchSettings = lazyPart(
  async () => (await import('@/features/settings/batch/batch-settings')).BatchSettings,
)
const SystemList = lazyPart(async () => (await import('@/features/systems/system-list')).SystemList)
const CommissioningPage = lazyPart(
  async () => (await import('@/features/commissioning/commissioning-page')).CommissioningPage,
)
const ProtocolPage = lazyPart(
  async () => (await import('@/features/commissioning/protocol-page')).ProtocolPage,
)
const OwnProtocols = lazyPart(async () => (await import('./own-protocols')).OwnProtocols)
const SiteCard = lazyPart(async () => (await import('@/components/site/site-card')).SiteCard)
const CompanyPanel = lazyPart(async () => (await import('@/features/company/company-panel')).CompanyPanel)
const HeldPanel = lazyPart(async () => (await import('@/features/grants/held-panel')).HeldPanel)

export function Settings() {
  const owns = useSession(({ role }) => role === 'user')
  const { data: account } = useQuery({ ...accountQuery, enabled: !owns })
  const leads = account?.company_role === 'owner'
  if (!owns)
    return (
      <SettingsPage
        parts={{
          storage: () => (
            <Later>
              <BatchSettings />
            </Later>
          ),
          systems: () => <Customers />,
          grants: () => (
            <Later>
              <HeldPanel manages={account?.company_role !== 'technician'} />
            </Later>
          ),
          ...(leads && {
            company: () => (
              <Later>
                <CompanyPanel />
              </Later>
            ),
          }),
          journal: () => <JournalCard />,
          account: () => <Account />,
        }}
      />
    )
  return (
    <SettingsPage
      parts={{
        storage: () => <Storage />,
        prices: () => <Prices />,
        site: () => <Site />,
        grants: () => (
          <Later>
            <GrantsPanel />
          </Later>
        ),
        journal: () => <JournalCard />,
        account: () => <Account />,
      }}
    />
  )
}

/** The commissioning, with the settings and the meter test that it needs. */
export const Commissioning = () => (
  <Later>
    <CommissioningPage
      settings={(sn, names) => <FewSettings sn={sn} names={names} />}
      meterTest={(units) => <MeterTest serials={units} />}
    />
  </Later>
)

/** The protocol of a commissioning; owners find it in their settings. */
export const Protocol = () => (
  <Later>
    <ProtocolPage />
  </Later>
)

const Account = () => (
  <AccountPanel
    alarmMail={
      <PagePart fallback={<Skeleton className="h-44" />}>
        <AlarmMailCard />
      </PagePart>
    }
  />
)

/** Loaded on demand: each role opens only some parts. */
function Later({ height = 'h-80', children }: { height?: string; children: ReactNode }) {
  const place = (
    <div aria-busy="true">
      <Skeleton className={height} />
    </div>
  )
  return <PagePart fallback={place}>{children}</PagePart>
}

/** End users, sites and groups of an electrician's systems. */
function Customers() {
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,8fr)_minmax(0,5fr)]">
      <Later>
        <SystemList />
      </Later>
      <div className="grid min-w-0 gap-5">
        <PagePart>
          <EndUserCard />
        </PagePart>
        <Later>
          <SiteCard />
        </Later>
      </div>
    </div>
  )
}

/** Two columns of similar height; one on phones. */
const columns = 'grid items-start gap-5 lg:grid-cols-2'

/** The settings beside the commands. */
function Storage() {
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,8fr)_minmax(0,5fr)]">
      <PagePart>
        <StorageSettings
          groups={['charging', 'device', 'meter']}
          meterTest={(serials) => <MeterTest serials={serials} />}
        />
      </PagePart>
      <PagePart>
        <CommandsCard />
      </PagePart>
    </div>
  )
}

/** Prices: fixed tariff, time of use, and the provider. */
function Prices() {
  const { t } = useT()
  const nameOf = (provider: string) => choiceText(provider, t)
  return (
    <div className={columns}>
      <PagePart>
        <TariffCard />
      </PagePart>
      <PagePart>
        <StorageSettings
          groups={['tariff']}
          title="settings.group.tariff"
          text="settings.group.tariff.text"
          prices={(serials, readOnly) => (
            <ProviderPrices serials={serials} readOnly={readOnly} nameOf={nameOf} />
          )}
        />
      </PagePart>
    </div>
  )
}

/** Site, end user and commissioning protocols. */
function Site() {
  return (
    <div className={columns}>
      <Later height="h-240">
        <SiteCard />
      </Later>
      <div className="grid min-w-0 gap-5">
        <PagePart>
          <EndUserCard />
        </PagePart>
        <Later>
          <OwnProtocols />
        </Later>
      </div>
    </div>
  )
}
