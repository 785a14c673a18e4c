import { Callout } from '@/components/ui/callout'
import { UPDATE_HINT } from '@/lib/constants'
import { type Translate, useT } from '@/lib/i18n/use-t'
import { useLive } from '@/lib/live/use-live'
import { useNow } from '@/lib/use-now'
import type { UpdateStatus } from '../data'
import { isOverdue } from '../model'

const { WAIT_MINUTES, SWITCH_ON_SECONDS, BREAKER_OFF_MINUTES } = UPDATE_HINT

/** The instruction for the main switch. */
export const switchText = (step: NonNullable<UpdateStatus['switch']>, t: Translate) =>
  t(`update.switch.${step}`, { min: SWITCH_ON_SECONDS.MIN, max: SWITCH_ON_SECONDS.MAX })

const switchHint = (t: Translate) =>
  t('update.hint.switch', { min: SWITCH_ON_SECONDS.MIN, max: SWITCH_ON_SECONDS.MAX })

const waitHint = (t: Translate) => t('update.hint.wait', { minutes: WAIT_MINUTES })

type Props = {
  status: UpdateStatus | undefined
  /** The update has not begun and can be withdrawn. */
  waiting: boolean
}

/** Hints for problems, without repeating other texts of the page. */
export function UpdateHints({ status, waiting }: Props) {
  const { t } = useT()
  const { data: live } = useLive()
  const now = useNow() + (live?.skew ?? 0)
  const overdue = status !== undefined && isOverdue(status, now)
  // Between two parts the switch has to be turned, unless the battery updates while it runs.
  const between = status?.checks.needs_off !== false && status?.switch !== 'on_then_off'
  return (
    <>
      {overdue && (
        <Callout tone="warn" title={t('update.overdue')}>
          {waitHint(t)}
        </Callout>
      )}
      <section aria-labelledby="update-hints" className="border-t border-line pt-4">
        <h3 id="update-hints" className="text-md font-semibold">
          {t('update.hints')}
        </h3>
        <ul className="mt-2 grid list-disc gap-1.5 pl-5 text-sm text-muted">
          {waiting && !overdue && <li>{waitHint(t)}</li>}
          {between && <li>{switchHint(t)}</li>}
          <li>{t('update.hint.breaker', { minutes: BREAKER_OFF_MINUTES })}</li>
        </ul>
      </section>
    </>
  )
}
