import { Pause, Play } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { useLive } from '@/lib/live/use-live'
import { useHold, type Work } from '../data'
import { allPassed, batteriesRest, type Commissioning, meterPowers } from '../model'
import { PhaseRow } from './phase-row'

type Props = { commissioning: Commissioning; measure: Work['measure'] }

/** The live sign and phase test: the batteries rest, and a load on each phase has to show there, as import. */
export function PhaseTest({ commissioning, measure }: Props) {
  const { t, locale } = useT()
  const { units, phases } = commissioning
  const { data: live } = useLive()
  const hold = useHold(units)
  const powers = meterPowers(live, units)
  const rest = batteriesRest(live, units)
  const measured = phases.filter((phase) => phase.measured)
  const done = allPassed(phases)
  const error = measure.error ?? hold.error

  /** After the last phase the battery works again by itself: the step closes, and nobody would think of it. */
  async function take(phase: number, load: boolean) {
    const answer = await measure.mutateAsync({ phase, load }).catch(() => null)
    if (answer && allPassed(answer.phases)) hold.mutate(false)
  }

  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <Button
          variant={done || hold.data === true ? 'outline' : 'primary'}
          busy={hold.isPending && hold.variables === true}
          onClick={() => hold.mutate(true)}
        >
          <Pause aria-hidden className="size-4" />
          {t('commissioning.hold')}
        </Button>
        <Button
          variant={done ? 'primary' : 'outline'}
          busy={hold.isPending && hold.variables === false}
          onClick={() => hold.mutate(false)}
        >
          <Play aria-hidden className="size-4" />
          {t('commissioning.release')}
        </Button>
        <p role="status" className={rest ? 'text-sm text-ok' : 'text-sm text-warn'}>
          {t(rest ? 'commissioning.rests' : 'commissioning.works')}
        </p>
      </div>
      {error && <Callout tone="danger">{refusalText(error, t, locale)}</Callout>}
      <ol className="grid gap-3">
        {measured.map((phase) => (
          <PhaseRow
            key={phase.phase}
            phase={phase}
            power={powers[phase.phase - 1] ?? null}
            busy={measure.isPending && measure.variables.phase === phase.phase}
            measure={(load) => void take(phase.phase, load)}
          />
        ))}
      </ol>
      {measured.length === 0 && <p className="text-md text-muted">{t('commissioning.no_phase')}</p>}
      {done && <Callout tone="ok">{t('commissioning.phases.done')}</Callout>}
    </div>
  )
}
