import { cva, type VariantProps } from 'class-variance-authority'
import { type ComponentProps, useState } from 'react'
import { cn } from '@/lib/cn'
import { Spinner } from './spinner'

/** Also for links: `<Link className={buttonStyle({ variant: 'outline' })}>`. */
export const buttonStyle = cva(
  'inline-flex max-w-full shrink-0 items-center justify-center gap-2 rounded-xl font-medium transition-colors select-none disabled:pointer-events-none disabled:opacity-50 aria-disabled:pointer-events-none aria-disabled:not-aria-busy:opacity-50',
  {
    variants: {
      variant: {
        primary: 'bg-accent text-on-accent hover:bg-accent-hover',
        outline: 'border border-line-strong text-text hover:bg-surface-2',
        ghost: 'text-muted hover:bg-surface-2 hover:text-text',
        danger: 'border border-danger text-danger hover:bg-danger-bg',
      },
      size: {
        l: 'min-h-12 px-6 py-2 text-xl',
        m: 'min-h-11 px-5 py-2 text-lg',
        s: 'min-h-9 px-3 py-1 text-sm',
        icon: 'size-11',
      },
    },
    defaultVariants: { variant: 'primary', size: 'm' },
  },
)

type Props = ComponentProps<'button'> &
  VariantProps<typeof buttonStyle> & {
    /** An action is pending: the button keeps the focus, shows a spinner and ignores clicks. */
    busy?: boolean
    /**
     * For a button that its own click may disable, such as "previous page": it keeps the focus until the next
     * Tab.
     */
    keepsFocus?: boolean
  }

export function Button({
  className,
  variant,
  size,
  type = 'button',
  busy = false,
  keepsFocus = false,
  disabled = false,
  onClick,
  onFocus,
  onBlur,
  children,
  ...rest
}: Props) {
  const [focused, setFocused] = useState(false)
  const stays = keepsFocus && focused
  const resting = busy || (stays && disabled)
  return (
    <button
      type={resting ? 'button' : type}
      disabled={disabled && !stays}
      aria-busy={busy || undefined}
      aria-disabled={resting || undefined}
      className={cn(buttonStyle({ variant, size }), className)}
      onClick={resting ? undefined : onClick}
      onFocus={(event) => {
        setFocused(true)
        onFocus?.(event)
      }}
      onBlur={(event) => {
        setFocused(false)
        onBlur?.(event)
      }}
      {...rest}
    >
      {busy && <Spinner className="size-4" />}
      {children}
    </button>
  )
}
