import { Check, ChevronDown, CircleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Callout } from '@/components/ui/callout'
import { cn } from '@/lib/cn'
import { formatDateTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { isTrouble, type Step } from '../model'

type Props = {
  step: Step
  number: number
  /** There is more than one unit, so that it matters at which one something is wrong. */
  several: boolean
  timeZone: string | undefined
  open: boolean
  onToggle: () => void
  children: ReactNode
}

/** One step: what it is about, how it stands, and folded away what is to be done. */
export function StepItem({ step, number, several, timeZone, open, onToggle, children }: Props) {
  const { t, locale } = useT()
  const id = useId()
  const { state, text, sn, at, company } = step
  const trouble = isTrouble(step)
  const word = trouble ? 'failed' : state === 'passed' ? 'passed' : 'open'
  const when = at === null ? null : formatDateTime(at, { locale, timeZone })
  return (
    <li>
      <section aria-labelledby={`${id}-title`}>
        <h3>
          <button
            type="button"
            aria-expanded={open}
            aria-controls={`${id}-content`}
            onClick={onToggle}
            className="flex min-h-16 w-full items-center gap-3 rounded-lg py-3 text-left"
          >
            <Mark number={number} look={word} />
            <span className="min-w-0 flex-1">
              <span id={`${id}-title`} className="block text-lg font-semibold">
                {step.title}
              </span>
              <span className="num block text-sm text-muted">
                {[t(`commissioning.state.${word}`), state === 'passed' && company, state === 'passed' && when]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </span>
            <ChevronDown
              aria-hidden
              className={cn('size-5 shrink-0 text-muted transition-transform', open && 'rotate-180')}
            />
          </button>
        </h3>
        {open && (
          <div id={`${id}-content`} className="grid gap-4 pt-1 pb-6">
            {text && (
              <Callout
                tone={trouble ? 'warn' : 'info'}
                title={several && sn ? sn : t(`commissioning.note.${trouble ? 'failed' : 'open'}`)}
              >
                {text}
              </Callout>
            )}
            {children}
          </div>
        )}
      </section>
    </li>
  )
}

function Mark({ number, look }: { number: number; look: 'open' | 'passed' | 'failed' }) {
  return (
    <span
      aria-hidden
      className={cn(
        'num grid size-9 shrink-0 place-items-center rounded-full border text-md font-medium',
        look === 'passed' && 'border-accent bg-accent text-on-accent',
        look === 'failed' && 'border-warn text-warn',
        look === 'open' && 'border-line-strong text-muted',
      )}
    >
      {look === 'passed' ? (
        <Check aria-hidden className="size-5" />
      ) : look === 'failed' ? (
        <CircleAlert aria-hidden className="size-5" />
      ) : (
        number
      )}
    </span>
  )
}
