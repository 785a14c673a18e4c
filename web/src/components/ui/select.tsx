import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn } from '@/lib/cn'
import { controlStyle, FieldFrame, type FrameProps } from './field-frame'

type Props = FrameProps &
  ComponentProps<'select'> & {
    options: readonly { value: string; label: string }[]
    /** Shown until an option is chosen; not selectable. */
    placeholder?: string
  }

/** A native select: nothing to load, and phones show their own picker. */
export function Select({ options, placeholder, className, ...props }: Props) {
  const { label, hint, error, describedBy, action, ...select } = props
  return (
    <FieldFrame label={label} hint={hint} error={error} describedBy={describedBy} action={action}>
      {(control) => (
        <div className="relative">
          <select {...control} className={cn(controlStyle, 'appearance-none pr-11', className)} {...select}>
            {placeholder !== undefined && (
              <option value="" disabled>
                {placeholder}
              </option>
            )}
            {options.map(({ value, label: text }) => (
              <option key={value} value={value} className="bg-surface text-text">
                {text}
              </option>
            ))}
          </select>
          <ChevronDown
            aria-hidden
            className="pointer-events-none absolute top-1/2 right-4 size-4 -translate-y-1/2 text-muted"
          />
        </div>
      )}
    </FieldFrame>
  )
}
