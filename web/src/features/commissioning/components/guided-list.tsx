import { useEffect, useState } from 'react'
import { useT } from '@/lib/i18n/use-t'
import { useTimeZone } from '@/lib/live/use-time-zone'
import type { Slots } from '../commissioning-page'
import type { Work } from '../data'
import { type Commissioning, nextStep, passedCount, type StepName } from '../model'
import { FinishCard } from './finish-card'
import { StepContent } from './step-content'
import { StepItem } from './step-item'

type Props = { commissioning: Commissioning; work: Work; slots: Slots }

/** The steps below each other: one is open, and the next one opens when it has passed. */
export function GuidedList({ commissioning, work, slots }: Props) {
  const { t } = useT()
  const { steps } = commissioning
  const timeZone = useTimeZone(commissioning.units[0])
  const next = nextStep(steps)
  const [open, setOpen] = useState<StepName | null>(next)
  const passed = steps.filter(({ state }) => state === 'passed').map(({ step }) => step)
  const openPassed = open !== null && passed.includes(open)
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the open step passes, not when somebody opens one that has
  useEffect(() => {
    if (openPassed) setOpen(next)
  }, [passed.length])
  return (
    <div className="grid gap-4">
      <div>
        <p className="text-md text-muted" role="status">
          {t('commissioning.progress', { done: passedCount(steps), all: steps.length })}
        </p>
        <progress
          aria-label={t('commissioning.title')}
          value={passedCount(steps)}
          max={steps.length}
          className="mt-2 h-1.5 w-full appearance-none overflow-hidden rounded-full bg-surface-2 [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-surface-2 [&::-webkit-progress-value]:bg-accent"
        />
      </div>
      <h2 className="sr-only">{t('commissioning.steps')}</h2>
      <ol className="card divide-y divide-line px-4 sm:px-5">
        {steps.map((step, place) => (
          <StepItem
            key={step.step}
            step={step}
            number={place + 1}
            several={commissioning.units.length > 1}
            timeZone={timeZone}
            open={open === step.step}
            onToggle={() => setOpen(open === step.step ? null : step.step)}
          >
            <StepContent step={step} commissioning={commissioning} work={work} slots={slots} />
          </StepItem>
        ))}
      </ol>
      <FinishCard commissioning={commissioning} work={work} />
    </div>
  )
}
