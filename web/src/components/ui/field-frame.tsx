import { CircleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'

export type FrameProps = {
  label: ReactNode
  /** A permanent hint. */
  hint?: ReactNode
  /** The error and its remedy, already translated. */
  error?: ReactNode
  /** The id of a further description, such as a list of rules below. */
  describedBy?: string
  /** An element beside the label, such as "Forgot your password?". */
  action?: ReactNode
}

type ControlProps = { id: string; 'aria-invalid': true | undefined; 'aria-describedby': string | undefined }

/** Label, hint and error around any control, connected for screen readers. */
export function FieldFrame({
  label,
  hint,
  error,
  describedBy,
  action,
  children,
}: FrameProps & { children: (control: ControlProps) => ReactNode }) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`, describedBy].filter(Boolean).join(' ')
  return (
    <div className="min-w-0">
      <div className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-4">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {action}
      </div>
      {children({
        id,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': described || undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} className="mt-1.5 text-sm text-muted">
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </div>
  )
}

/** The live region exists before the error, so that the error is announced. */
export function FieldError({ id, children }: { id: string; children: ReactNode }) {
  return (
    <div aria-live="polite">
      {children && (
        <p id={id} className="mt-1.5 flex items-start gap-1.5 text-sm text-danger">
          <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span className="min-w-0">{children}</span>
        </p>
      )}
    </div>
  )
}

/** The style of all text inputs. 16 px, so that phones do not zoom in. */
export const controlStyle =
  'h-12 w-full min-w-0 rounded-xl border border-line-strong bg-surface px-4 text-xl text-text transition-colors placeholder:text-muted hover:border-muted disabled:opacity-60 aria-invalid:border-danger'
