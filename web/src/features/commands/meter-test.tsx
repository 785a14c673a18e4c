import { ArrowDown, ArrowUp, Check, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/select'
import { joinQuantity, powerQuantity, voltageQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { CommandProgress } from './command-progress'
import { type MeterReading, meterReading, type Phase } from './model'
import { useCommand } from './use-command'

/** Tests whether the battery receives its smart meter, phase by phase. */
export function MeterTest({ serials }: { serials: readonly string[] }) {
  const { t } = useT()
  const [chosen, setChosen] = useState('')
  const sn = serials.includes(chosen) ? chosen : (serials[0] ?? '')
  return (
    <div className="mt-6 grid gap-4 border-t border-line pt-5">
      <div>
        <h4 className="text-md font-semibold">{t('command.meter_test')}</h4>
        <p className="mt-0.5 text-sm text-muted">{t('command.meter_test.text')}</p>
      </div>
      {serials.length > 1 && (
        <Select
          name="meter_test_sn"
          label={t('command.system')}
          value={sn}
          options={serials.map((value) => ({ value, label: value }))}
          onChange={({ target }) => setChosen(target.value)}
        />
      )}
      <OneTest key={sn} sn={sn} />
    </div>
  )
}

function OneTest({ sn }: { sn: string }) {
  const { t } = useT()
  const state = useCommand(sn)
  const reading = state.command ? meterReading(state.command) : null
  return (
    <>
      {reading && <Phases reading={reading} />}
      <CommandProgress state={state} />
      <Button
        variant="outline"
        busy={state.busy}
        onClick={() => state.give('meter_test')}
        className="justify-self-start"
      >
        {t('command.meter_test.start')}
      </Button>
    </>
  )
}

function Phases({ reading: { step, steps, phases } }: { reading: MeterReading }) {
  const { t } = useT()
  return (
    <div>
      <progress
        aria-label={t('command.meter_test')}
        value={step}
        max={steps}
        className="h-1.5 w-full appearance-none overflow-hidden rounded-full bg-surface-2 [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-surface-2 [&::-webkit-progress-value]:bg-accent"
      />
      <ul className="mt-3 grid gap-2 sm:grid-cols-3">
        {phases.map((phase, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a phase is its place
          <PhaseRow key={place} number={place + 1} phase={phase} />
        ))}
      </ul>
    </div>
  )
}

function PhaseRow({ number, phase }: { number: number; phase: Phase }) {
  const { t, locale } = useT()
  const Mark = phase?.ok ? Check : X
  return (
    <li className="rounded-xl border border-line px-3.5 py-2.5 text-sm">
      <p className="flex items-center justify-between gap-2 font-medium">
        {t('systems.phase', { phase: number })}
        {phase && (
          <span
            className={phase.ok ? 'flex items-center gap-1 text-ok' : 'flex items-center gap-1 text-danger'}
          >
            <Mark aria-hidden className="size-4" />
            {t(phase.ok ? 'command.phase.ok' : 'command.phase.silent')}
          </span>
        )}
      </p>
      <p className="num mt-1 text-muted">
        {phase ? joinQuantity(voltageQuantity(phase.voltage, locale)) : t('command.phase.other')}
      </p>
      {phase && phase.power !== null && <PhasePower watts={phase.power} />}
    </li>
  )
}

/** Below this power there is no direction. In watts. */
const IDLE_WATTS = 5

/** The direction as a word and an arrow. */
function PhasePower({ watts }: { watts: number }) {
  const { t, locale } = useT()
  if (Math.abs(watts) < IDLE_WATTS) return <p className="text-muted">{t('flow.grid.idle')}</p>
  const Arrow = watts < 0 ? ArrowUp : ArrowDown
  return (
    <p className="num flex items-center gap-1 text-muted">
      <Arrow aria-hidden className="size-3.5 text-grid-text" />
      {t(watts < 0 ? 'flow.grid.negative' : 'flow.grid.positive')}{' '}
      {joinQuantity(powerQuantity(watts, locale))}
    </p>
  )
}
