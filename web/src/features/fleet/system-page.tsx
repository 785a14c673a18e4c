import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ChevronLeft, ClipboardCheck, Pencil, SearchX, SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { InForce } from '@/components/in-force/model'
import { LiveValues } from '@/components/live/live-values'
import { MessagesCard } from '@/components/live/messages-card'
import { readingOf } from '@/components/live/model/reading'
import { useCurrentValues } from '@/components/live/use-current-values'
import { ReplaceUnit } from '@/components/replace/replace-unit'
import { Button, buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { EmptyState } from '@/components/ui/empty-state'
import { PageHeading } from '@/components/ui/page-heading'
import { Skeleton } from '@/components/ui/skeleton'
import { errorText } from '@/lib/api/errors'
import { LIVE_MAX_AGE } from '@/lib/constants'
import { type System, systemsQuery } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import type { Live, LiveEntry } from '@/lib/live/live'
import { useLive } from '@/lib/live/use-live'
import { useWatch } from '@/lib/live/watched'
import { useNow } from '@/lib/use-now'
import { DiagnosisCard } from './components/diagnosis-card'
import { EndUserDialog } from './components/end-user-dialog'
import { PART } from './components/primary-action'
import { SystemFacts } from './components/system-facts'
import { SystemState } from './components/system-state'
import { type Primary, primaryOf } from './model/primary'
import { indexOf, rowsOf } from './model/row'
import { includes } from './model/scope'

type Props = {
  /** Open and past alarms. */
  alarms: (sn: string) => ReactNode
  /** The big chart of the address's system. */
  chart: ReactNode
  /** The commands, for the service scope. */
  commands: (sn: string) => ReactNode
  /** Its firmware; `service`: the electrician may start an update. */
  firmware: (sn: string, service: boolean) => ReactNode
  /** Location and solar modules. */
  site: (sn: string) => ReactNode
  /** The owner's contact, and the company's note. */
  customer: (sn: string) => ReactNode
  /** Protocols of commissionings. */
  protocols: (sn: string) => ReactNode
  /** The electrician's entries in the journal. */
  journal: (sn: string) => ReactNode
  /** The button that ends an effect. */
  endInForce: (one: InForce, sn: string) => ReactNode
}

/** Ages change slowly, so they are updated this often. In ms. */
const AGE_CHECK = 5_000

/** One system of the fleet: the owner's view without money, and a diagnosis. */
export function SystemPage(slots: Props) {
  const { t } = useT()
  const sn = useParams({ strict: false, select: (params: { sn?: string }) => params.sn ?? '' })
  const { data: systems, error } = useQuery(systemsQuery)
  const live = useLive()
  const system = systems?.find((one) => one.sn === sn)
  useWatch(system?.sn)
  const problem = error ?? live.error
  return (
    <>
      <Link
        to="/electrician-dashboard"
        className="mb-2 -ml-1 inline-flex min-h-9 items-center gap-1 rounded-lg px-1 text-sm text-muted hover:text-text"
      >
        <ChevronLeft aria-hidden className="size-4" />
        {t('nav.fleet')}
      </Link>
      {problem && (
        <Callout tone="warn" title={t(error ? 'systems.failed' : 'live.failed')} className="mb-4">
          {errorText(problem, t)}
        </Callout>
      )}
      {system ? (
        <Body key={sn} system={system} live={live.data} {...slots} />
      ) : systems ? (
        <SystemNotFound sn={sn} />
      ) : (
        <Loading sn={sn} busy={!problem} />
      )}
    </>
  )
}

type BodyProps = Props & { system: System; live: Live | undefined }

function Body(props: BodyProps) {
  const { system, live, alarms, chart, commands, firmware, site, customer, protocols, journal, endInForce } =
    props
  const service = includes(system.access, 'service')
  const entry = live?.entries[system.sn]
  const now = useNow(AGE_CHECK) + (live?.skew ?? 0)
  const [row] = live ? rowsOf(indexOf([system]), live, now) : []
  const primary = primaryOf(system, row)
  return (
    <>
      <Head system={system} primary={primary} />
      {service && <Replaced sn={system.sn} />}
      {live && row && (
        <SystemState
          row={row}
          primary={primary}
          live={live}
          now={now}
          end={(one) => endInForce(one, system.sn)}
        />
      )}
      <div className="grid gap-4 lg:gap-5">
        {entry ? (
          <SystemValues
            key="now"
            sn={system.sn}
            entry={entry}
            capacity={system.capacity ?? null}
            skew={live?.skew ?? 0}
          />
        ) : (
          <Skeleton key="waiting" className="h-140" />
        )}
        <div id={PART.alarms} tabIndex={-1} className="scroll-mt-20 outline-none">
          {alarms(system.sn)}
        </div>
        <div className="grid items-start gap-4 lg:grid-cols-[8fr_5fr] lg:gap-5">
          {entry ? (
            <DiagnosisCard sn={system.sn} entry={entry} flags={live?.flags} live={entry.online} />
          ) : (
            <Skeleton className="h-80" />
          )}
          <SystemFacts system={system} entry={entry} />
        </div>
        {entry && <MessagesCard reading={readingOf(entry)} />}
        {service && commands(system.sn)}
        <div id={PART.firmware} tabIndex={-1} className="scroll-mt-20 outline-none">
          {firmware(system.sn, service)}
        </div>
        {chart}
        {customer(system.sn)}
        {site(system.sn)}
        {protocols(system.sn)}
        {journal(system.sn)}
      </div>
    </>
  )
}

/** The end user's name, which the configure scope may change, and the page's actions. */
function Head({ system, primary }: { system: System; primary: Primary }) {
  const { t } = useT()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState({ number: 0, open: false })
  const name = [system.first_name, system.last_name].filter(Boolean).join(' ')
  const more = [
    name && system.sn,
    t('systems.phase', { phase: system.phase }),
    system.place,
    system.group_name,
  ]
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4">
      <PageHeading aside={more.filter(Boolean).join(' · ')}>{name || system.sn}</PageHeading>
      <div className="mb-4 flex flex-wrap gap-2">
        {includes(system.access, 'service') && !primary.endsWith('_commissioning') && (
          <Link
            to="/electrician-dashboard/$sn/commissioning"
            params={{ sn: system.sn }}
            className={buttonStyle({ variant: 'outline', size: 's' })}
          >
            <ClipboardCheck aria-hidden className="size-4" />
            {t('commissioning.title')}
          </Link>
        )}
        {includes(system.access, 'service') && (
          <ReplaceUnit
            electrician
            sn={system.sn}
            variant="outline"
            onReplaced={(sn) =>
              navigate({
                to: '/electrician-dashboard/$sn',
                params: { sn },
                search: { replaced: system.sn },
                replace: true,
              })
            }
          />
        )}
        {includes(system.access, 'configure') && primary !== 'settings' && (
          <Link
            to="/electrician-settings"
            search={{ part: 'storage', sn: system.sn }}
            className={buttonStyle({ variant: 'outline', size: 's' })}
          >
            <SlidersHorizontal aria-hidden className="size-4" />
            {t('fleet.change_settings')}
          </Link>
        )}
        {includes(system.access, 'configure') && (
          <Button
            variant="outline"
            size="s"
            onClick={() => setDialog(({ number }) => ({ number: number + 1, open: true }))}
          >
            <Pencil aria-hidden className="size-4" />
            {t('fleet.end_user.change')}
          </Button>
        )}
      </div>
      {dialog.number > 0 && (
        <EndUserDialog
          key={dialog.number}
          open={dialog.open}
          system={system}
          onClose={() => setDialog((before) => ({ ...before, open: false }))}
        />
      )}
    </div>
  )
}

/** The unit was just replaced: suggests a commissioning. */
function Replaced({ sn }: { sn: string }) {
  const { t } = useT()
  const old = useSearch({ strict: false, select: ({ replaced }: { replaced?: string }) => replaced })
  if (!old) return null
  return (
    <Callout
      tone="info"
      title={t('replace.commission.title', { sn, old: String(old) })}
      className="mb-4"
      action={
        <Link
          to="/electrician-dashboard/$sn/commissioning"
          params={{ sn }}
          className={buttonStyle({ variant: 'outline', size: 's' })}
        >
          {t('replace.commission.begin')}
        </Link>
      }
    >
      {t('replace.commission.text')}
    </Callout>
  )
}

type SystemValuesProps = { sn: string; entry: LiveEntry; capacity: number | null; skew: number }

function SystemValues({ sn, entry, capacity, skew }: SystemValuesProps) {
  const { t } = useT()
  const measuredAt = entry.measured_at ?? null
  const tooOldAt = measuredAt === null ? null : measuredAt + LIVE_MAX_AGE + 1 - skew
  const now = useNow(AGE_CHECK, tooOldAt) + skew
  const values = useCurrentValues({ sn, entry, skew, now })
  return <LiveValues sn={sn} values={values} capacity={capacity} now={now} title={t('fleet.flow')} />
}

/** The system is not accessible, maybe because the owner has ended the access. */
function SystemNotFound({ sn }: { sn: string }) {
  const { t } = useT()
  return (
    <>
      <PageHeading>{sn}</PageHeading>
      <EmptyState
        icon={SearchX}
        action={
          <Link to="/electrician-dashboard" className={buttonStyle({ variant: 'outline' })}>
            {t('fleet.back')}
          </Link>
        }
      >
        {t('fleet.gone')}
      </EmptyState>
    </>
  )
}

function Loading({ sn, busy }: { sn: string; busy: boolean }) {
  return (
    <div aria-busy={busy}>
      <PageHeading>{sn}</PageHeading>
      {busy && <Skeleton className="h-140" />}
    </div>
  )
}
