import { Gauge, Pause, Power, RotateCw, Sparkles, Zap } from 'lucide-react'
import { useT } from '@/lib/i18n/use-t'
import { useLive } from '@/lib/live/use-live'
import { CommandProgress } from './command-progress'
import { ChargeForm, CommandRow, ConfirmedCommand, HoldForm, PlainCommand } from './command-rows'
import { useCommand } from './use-command'

type Props = {
  sn: string
  /** Allows a restart, for electricians with the service scope. */
  restart?: boolean
}

/** The commands for one system, and the state of the last one. */
export function Commands({ sn, restart = false }: Props) {
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
          <ConfirmedCommand name="switch_off" state={state} />
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
          <ConfirmedCommand name="calibrate" state={state} />
        </CommandRow>
        {restart && (
          <CommandRow icon={RotateCw} title={t('command.restart')} text={t('command.restart.text')}>
            <ConfirmedCommand name="restart" state={state} />
          </CommandRow>
        )}
      </ul>
    </>
  )
}
