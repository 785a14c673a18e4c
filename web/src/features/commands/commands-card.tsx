import { Gauge, Pause, Power, Sparkles, Zap } from 'lucide-react'
import { useState } from 'react'
import { LookOnly } from '@/components/access/look-only'
import { Card } from '@/components/ui/card'
import { Select } from '@/components/ui/select'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { useLive } from '@/lib/live/use-live'
import { useSelection } from '@/lib/selection'
import { useLookOnly } from '@/lib/use-look-only'
import { CommandProgress } from './command-progress'
import { AskedCommand, ChargeForm, CommandRow, HoldForm, PlainCommand } from './command-rows'
import { useCommand } from './use-command'

/** What the storage can be told to do, and how it fared. */
export function CommandsCard() {
  const { t } = useT()
  const { sn: looked, serials: all } = useSelection()
  const { looks, everywhere } = useLookOnly()
  const serials = all.filter((one) => !looks(one))
  const [chosen, setChosen] = useState<string | null>(null)
  const sn = chosen ?? (looked && looked !== ALL_SYSTEMS && !looks(looked) ? looked : serials[0])
  return (
    <Card title={t('command.title')} description={t('command.title.text')}>
      <div className="grid gap-5">
        {serials.length > 1 && (
          <Select
            name="command_sn"
            label={t('command.system')}
            value={sn ?? ''}
            options={serials.map((value) => ({ value, label: value }))}
            onChange={({ target }) => setChosen(target.value)}
          />
        )}
        {everywhere && <LookOnly />}
        {sn && <Commands key={sn} sn={sn} />}
      </div>
    </Card>
  )
}

function Commands({ sn }: { sn: string }) {
  const { t } = useT()
  const state = useCommand(sn)
  const { data: live } = useLive()
  const entry = live?.entries[sn]
  const switchedOff = entry?.message2.aus === true
  return (
    <>
      <CommandProgress state={state} />
      <ul className="divide-y divide-line">
        <CommandRow
          icon={Power}
          title={t('command.switch')}
          text={t(switchedOff ? 'command.switch.off' : 'command.switch.on')}
        >
          <PlainCommand name="switch_on" state={state} idle={entry?.online === true && !switchedOff} />
          <AskedCommand name="switch_off" state={state} />
        </CommandRow>
        <CommandRow icon={Zap} title={t('command.charge_to')} text={t('command.charge_to.text')}>
          <ChargeForm state={state} />
        </CommandRow>
        <CommandRow icon={Pause} title={t('command.hold')} text={t('command.hold.text')}>
          <HoldForm state={state} skew={live?.skew ?? 0} />
        </CommandRow>
        <CommandRow icon={Sparkles} title={t('command.auto')} text={t('command.auto.text')}>
          <PlainCommand name="auto" state={state} />
        </CommandRow>
        <CommandRow icon={Gauge} title={t('command.calibrate')} text={t('command.calibrate.text')}>
          <AskedCommand name="calibrate" state={state} />
        </CommandRow>
      </ul>
    </>
  )
}
