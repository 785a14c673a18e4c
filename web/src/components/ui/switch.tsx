import { type ComponentProps, type ReactNode, useId } from 'react'
import { cn } from '@/lib/cn'
import { FieldError } from './field-frame'

type Props = Omit<ComponentProps<'input'>, 'type'> & { label: ReactNode; hint?: ReactNode; error?: ReactNode }

/** A toggle. The whole line is clickable. */
export function Switch({ label, hint, error, className, ...input }: Props) {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  return (
    <div className={cn('min-w-0', className)}>
      <label htmlFor={id} className="flex min-h-11 cursor-pointer items-center justify-between gap-4">
        <span className="min-w-0 text-sm font-medium">{label}</span>
        <input
          id={id}
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a real checkbox says itself whether it is checked
          role="switch"
          aria-invalid={error ? true : undefined}
          aria-describedby={described || undefined}
          className={cn(
            'relative h-6.5 w-11 shrink-0 cursor-pointer appearance-none rounded-full border border-line-strong bg-surface transition-colors checked:border-accent checked:bg-accent aria-invalid:border-danger',
            'before:absolute before:top-1/2 before:left-0.5 before:size-5 before:-translate-y-1/2 before:rounded-full before:bg-line-strong before:transition-transform checked:before:translate-x-4.5 checked:before:bg-on-accent',
          )}
          {...input}
        />
      </label>
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </div>
  )
}
