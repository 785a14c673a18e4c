import { cva, type VariantProps } from 'class-variance-authority'
import type { ComponentProps } from 'react'
import { cn } from '@/lib/cn'
import { Spinner } from './spinner'

/** Also for links that look like a button: `<Link className={buttonStyle({ variant: 'outline' })}>`. */
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
        l: 'min-h-12 px-6 py-2 text-[16px]',
        m: 'min-h-11 px-5 py-2 text-[15px]',
        s: 'min-h-9 px-3 py-1 text-[13px]',
        icon: 'size-11',
      },
    },
    defaultVariants: { variant: 'primary', size: 'm' },
  },
)

type Props = ComponentProps<'button'> &
  VariantProps<typeof buttonStyle> & {
    /** Work is under way: the button stays focused, shows it and does nothing. */
    busy?: boolean
    /** Its own press may disable it, such as the last step back: it keeps the focus, from which the keyboard goes on. */
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
  children,
  ...rest
}: Props) {
  const resting = busy || (keepsFocus && disabled)
  return (
    <button
      type={resting ? 'button' : type}
      disabled={disabled && !keepsFocus}
      aria-busy={busy || undefined}
      aria-disabled={resting || undefined}
      className={cn(buttonStyle({ variant, size }), className)}
      onClick={resting ? undefined : onClick}
      {...rest}
    >
      {busy && <Spinner className="size-4" />}
      {children}
    </button>
  )
}
