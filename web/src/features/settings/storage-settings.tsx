import { RefreshCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { LookOnly } from '@/components/access/look-only'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { refusalText } from '@/lib/form/refusal-text'
import type { MessageId } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { notify } from '@/lib/notify'
import { useSelection } from '@/lib/selection'
import { useLookOnly } from '@/lib/use-look-only'
import { ApplyTo } from './components/apply-to'
import { GridLimit } from './components/grid-limit'
import { StateLine } from './components/state-line'
import type { Systems } from './model/draft'
import { GROUP_NAMES, type Group } from './model/fields'
import { SettingsForm } from './settings-form'
import { useSettings } from './use-settings'

type Props = {
  /** The groups of this part of the settings. */
  groups?: readonly Group[]
  title?: MessageId
  text?: MessageId
  /** The meter test for these systems. */
  meterTest?: (serials: readonly string[]) => ReactNode
  /** The state of the provider's prices for these systems. */
  prices?: (serials: readonly string[], readOnly: boolean) => ReactNode
}

/** The battery's settings: load, change, send, and show its report. */
export function StorageSettings({
  title = 'settings.title',
  text = 'settings.load_text',
  ...settings
}: Props) {
  const { t, locale } = useT()
  const { data: systems, error, isFetching, readAgain } = useSettings()
  const [loading, setLoading] = useState(false)

  async function load() {
    setLoading(true)
    try {
      await readAgain()
      notify.toast(t('settings.loaded'))
    } catch {
      // The query reports the error itself.
    } finally {
      setLoading(false)
    }
  }

  return (
    <Card
      title={t(title)}
      description={t(text)}
      aria-busy={!systems && !error}
      action={
        <Button variant="outline" size="s" busy={loading} disabled={!systems} onClick={() => void load()}>
          <RefreshCw aria-hidden className="size-4" />
          {t('settings.load')}
        </Button>
      }
    >
      {error && (
        <Callout
          tone="danger"
          title={t('settings.load_failed')}
          className="mb-5"
          action={
            <Button variant="outline" size="s" busy={isFetching} onClick={() => void load()}>
              {t('ui.retry')}
            </Button>
          }
        >
          {refusalText(error, t, locale)} {systems && t('settings.last_known')}
        </Callout>
      )}
      {!systems && !error && <Skeleton key="waiting" className="h-200 sm:h-160" />}
      {systems && <ChosenSystems key="settings" all={systems} {...settings} />}
    </Card>
  )
}

/** Initially the selected system, or all of them. */
function ChosenSystems({
  all: seen,
  groups = GROUP_NAMES,
  meterTest,
  prices,
}: Pick<Props, 'groups' | 'meterTest' | 'prices'> & { all: Systems }) {
  const { sn } = useSelection()
  const { looks, everywhere } = useLookOnly()
  const all = everywhere ? seen : seen.filter((system) => !looks(system.sn))
  const looked = seen.filter((system) => looks(system.sn)).map((system) => system.sn)
  const serials = all.map((system) => system.sn)
  const [ticked, setTicked] = useState(() =>
    sn && sn !== ALL_SYSTEMS && serials.includes(sn) ? [sn] : serials,
  )
  const systems = all.filter((system) => ticked.includes(system.sn))
  const chosen = systems.map((system) => system.sn)
  return (
    <div className="grid gap-5">
      {looked.length > 0 && <LookOnly serials={looked} />}
      {all.length > 1 && <ApplyTo serials={serials} chosen={ticked} onChange={setTicked} />}
      <div className="grid gap-3">
        {systems.map((system) => (
          <div key={system.sn} className="grid gap-3">
            <StateLine system={system} named={all.length > 1} />
            <GridLimit system={system} named={all.length > 1} />
          </div>
        ))}
      </div>
      <SettingsForm
        all={all}
        systems={systems}
        groups={groups}
        meterTest={meterTest?.(chosen)}
        prices={prices?.(chosen, everywhere)}
        readOnly={everywhere}
        onFailed={setTicked}
      />
    </div>
  )
}
