import { Check, Minus } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { cn } from '@/lib/cn'

type Props = {
  label: string
  checked: boolean /** Some of them are. */
  partly?: boolean
  /** A larger target for touch. */
  large?: boolean
  onChange: () => void
}

/** A row's checkbox. Its label is for screen readers only. */
export function Tick({ label, checked, partly = false, large = false, onChange }: Props) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current) box.current.indeterminate = partly
  }, [partly])
  const Icon = partly ? Minus : Check
  return (
    // Above the link that covers the row; the target is larger than the box.
    <label
      className={cn(
        'relative z-1 inline-grid cursor-pointer place-items-center align-middle',
        large ? '-m-3 size-11' : '-m-1.5 size-8',
      )}
    >
      <input
        ref={box}
        type="checkbox"
        aria-label={label}
        checked={checked}
        onChange={onChange}
        className="size-4.5 cursor-pointer appearance-none rounded border border-line-strong bg-surface checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent"
      />
      {(checked || partly) && (
        <Icon aria-hidden strokeWidth={3} className="pointer-events-none absolute size-3 text-on-accent" />
      )}
    </label>
  )
}
