import { useEffect, useId, useRef } from 'react'
import { Callout } from '@/components/ui/callout'
import { useT } from '@/lib/i18n/use-t'
import { ChooseStep } from './components/choose-step'
import { EventDialog } from './components/event-dialog'
import { FinishedStep } from './components/finished-step'
import { StartStep } from './components/start-step'
import { StepList } from './components/step-list'
import { WizardButtons } from './components/wizard-buttons'
import { useWizardState } from './memory'
import { isListed, isUnderWay, phaseOf } from './model'
import type { Answer } from './use-statuses'
import type { WizardControl } from './use-wizard'

type Props = {
  wizard: WizardControl
  answers: readonly Answer[]
  /** More than one update is open. */
  several: boolean
}

/** The three steps: choose, start, finished. */
export function WizardCard({ wizard, answers, several }: Props) {
  const { t } = useT()
  const id = useId()
  const { sn, step, phase } = wizard
  const underWay = isUnderWay(phase)
  const heading = useHeadingFocus(`${step} ${underWay}`)
  const listed = answers.flatMap(({ sn: serial, status }) =>
    status && isListed(status) ? [{ sn: serial, status }] : [],
  )
  // Every listed update is under way.
  const begun = listed.length > 0 && listed.every(({ status }) => isUnderWay(phaseOf(status)))
  return (
    <section aria-labelledby={id} className="card grid min-w-0 gap-6 p-5 sm:p-6">
      <StepList step={step} />
      <div className="grid gap-4">
        <h2 ref={heading} id={id} tabIndex={-1} className="text-3xl leading-tight font-semibold outline-none">
          {step === 0 && t(begun ? 'update.choose.begun' : 'update.choose')}
          {step === 1 && t(underWay ? 'update.running' : 'update.ready', { sn })}
          {step === 2 && t('update.finished', { sn })}
        </h2>
        <Cancelled />
        {step === 0 && <ChooseStep systems={listed} begun={begun} chosen={sn} onChoose={wizard.choose} />}
        {step === 1 && <StartStep wizard={wizard} />}
        {step === 2 && <FinishedStep status={wizard.status} />}
      </div>
      <WizardButtons wizard={wizard} several={several} />
      <EventDialog event={wizard.announced} status={wizard.status} onClose={wizard.acknowledge} />
    </section>
  )
}

/** After a step change, but not at first, the new heading gets the focus and is read out. */
function useHeadingFocus(view: string) {
  const heading = useRef<HTMLHeadingElement>(null)
  const seen = useRef(view)
  useEffect(() => {
    if (seen.current === view) return
    seen.current = view
    heading.current?.focus()
  }, [view])
  return heading
}

/** The notice of a waiting update that will not begin any more. */
export function Cancelled() {
  const { t } = useT()
  const { cancelled } = useWizardState()
  if (!cancelled) return null
  return <Callout title={t(`update.cancelled.${cancelled}`)}>{t('update.cancelled.text')}</Callout>
}
