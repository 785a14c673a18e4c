import { useId } from 'react'

type Props<T extends string> = {
  label: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange: (value: T) => void
}

/** A select on one line with its label, for controls beside a chart. */
export function SmallSelect<T extends string>({ label, value, options, onChange }: Props<T>) {
  const id = useId()
  return (
    <div className="flex gap-x-2 gap-y-1 text-sm max-sm:basis-[calc(50%-0.5rem)] max-sm:flex-col sm:items-center">
      <label htmlFor={id} className="text-muted">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={({ target }) => onChange(target.value as T)}
        className="min-h-9 rounded-lg border border-line-strong bg-surface px-2 text-text"
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}
