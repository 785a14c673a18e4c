import { Check } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { cn } from '@/lib/cn'
import { FieldError } from './field-frame'

type Props = Omit<ComponentProps<'input'>, 'type'> & { label: ReactNode; error?: ReactNode }

/** The whole line is clickable. Links inside the label stay links. */
export function Checkbox({ label, error, className, ...input }: Props) {
  const id = useId()
  return (
    <div className={className}>
      <label htmlFor={id} className="flex min-h-11 cursor-pointer items-start gap-3 py-2.5 text-md">
        <span className="relative mt-px grid size-5 shrink-0 place-items-center">
          <input
            id={id}
            type="checkbox"
            aria-invalid={error ? true : undefined}
            aria-describedby={error ? `${id}-error` : undefined}
            className={cn(
              'peer size-5 cursor-pointer appearance-none rounded-md border border-line-strong bg-surface transition-colors',
              'checked:border-accent checked:bg-accent aria-invalid:border-danger',
            )}
            {...input}
          />
          <Check
            aria-hidden
            strokeWidth={3}
            className="pointer-events-none absolute size-3.5 text-on-accent opacity-0 peer-checked:opacity-100"
          />
        </span>
        <span className="min-w-0">{label}</span>
      </label>
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </div>
  )
}
