import { useId } from 'react'
import { cn } from '@/lib/cn'

type Props<T extends string> = {
  /** For screen readers only. */
  label: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange: (value: T) => void
  className?: string
}

/** Radio buttons side by side, so arrow keys work. */
export function Segmented<T extends string>({ label, value, options, onChange, className }: Props<T>) {
  const name = useId()
  return (
    <fieldset className={cn('flex rounded-xl border border-line bg-bg p-1', className)}>
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="relative min-w-0 flex-1 cursor-pointer sm:min-w-fit">
          <input
            type="radio"
            name={name}
            className="peer sr-only"
            checked={value === option.value}
            onChange={() => onChange(option.value)}
          />
          <span
            className={cn(
              'flex h-full min-h-9 items-center justify-center rounded-lg px-3 py-1.5 text-center text-sm font-medium text-muted transition-colors hover:text-text',
              'peer-checked:bg-surface-2 peer-checked:text-text peer-checked:ring-1 peer-checked:ring-line-strong',
              'peer-focus-visible:outline-2 peer-focus-visible:outline-offset-1 peer-focus-visible:outline-focus',
            )}
          >
            {option.label}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
