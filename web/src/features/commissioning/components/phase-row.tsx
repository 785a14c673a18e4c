import { ArrowDown, ArrowUp, CircleCheck } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { joinQuantity, powerQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { LOAD, type Phase } from '../model'

type Props = {
  phase: Phase
  /** What the meter shows at this moment, in W. */
  power: number | null
  busy: boolean
  measure: (load: boolean) => void
}

/** One phase: first without the load, then with it; the number beside it is live. */
export function PhaseRow({ phase: { phase, before, rise, text }, power, busy, measure }: Props) {
  const { t, locale } = useT()
  const passed = rise !== null
  const change = power !== null && before !== null ? power - before : null
  return (
    <li className="grid gap-3 rounded-xl border border-line px-4 py-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h4 className="num text-xl font-semibold">{`L${phase}`}</h4>
        {power === null ? (
          <p className="text-md text-muted">{t('commissioning.phase.silent')}</p>
        ) : (
          <Power watts={power} />
        )}
      </div>
      {passed ? (
        <p className="flex items-center gap-2 text-md text-ok">
          <CircleCheck aria-hidden className="size-5 shrink-0" />
          {t('commissioning.phase.passed', { watts: joinQuantity(powerQuantity(rise, locale)) })}
        </p>
      ) : before === null ? (
        <p className="text-md text-muted">{t('commissioning.phase.off', { phase })}</p>
      ) : (
        <p className="text-md text-muted">
          {t('commissioning.phase.on', { phase })}{' '}
          {change !== null && Math.abs(change) >= LOAD && (
            <strong className="num font-semibold text-text">
              {t(change > 0 ? 'commissioning.phase.rises' : 'commissioning.phase.falls', {
                watts: joinQuantity(powerQuantity(change, locale)),
              })}
            </strong>
          )}
        </p>
      )}
      {text && (
        <p role="alert" className="text-md text-warn">
          {text}
        </p>
      )}
      <div className="grid gap-2 sm:flex">
        {before !== null && !passed && (
          <Button size="l" busy={busy} onClick={() => measure(true)} className="sm:order-2">
            {t('commissioning.phase.measure_on', { phase })}
          </Button>
        )}
        <Button
          size={before === null ? 'l' : 'm'}
          variant={before === null ? 'primary' : 'outline'}
          busy={busy}
          onClick={() => measure(false)}
        >
          {t(before === null ? 'commissioning.phase.measure_off' : 'commissioning.phase.again', { phase })}
        </Button>
      </div>
    </li>
  )
}

/** Direction is a word and an arrow. */
function Power({ watts }: { watts: number }) {
  const { t, locale } = useT()
  const Arrow = watts < 0 ? ArrowUp : ArrowDown
  return (
    <p className="num flex items-center gap-1 text-xl">
      <Arrow aria-hidden className="size-4 text-grid-text" />
      <span className="text-md text-muted">{t(watts < 0 ? 'flow.grid.negative' : 'flow.grid.positive')}</span>{' '}
      {joinQuantity(powerQuantity(watts, locale))}
    </p>
  )
}
