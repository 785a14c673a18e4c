import { cn } from '@/lib/cn'

/** The logo: the sun sets into the cellar and stays there as charge. index.html has the same drawing. */
export function Logo({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 64 64" fill="none" aria-hidden="true" className={cn('size-8 shrink-0', className)}>
      <path d="M22 28a10 10 0 0 1 20 0z" fill="var(--pv)" />
      <path
        d="M32 6v5M14.5 14l3.6 3.6M49.5 14l-3.6 3.6"
        stroke="var(--pv)"
        strokeWidth="4"
        strokeLinecap="round"
      />
      <rect x="10.5" y="32.5" width="43" height="23" rx="7.5" stroke="var(--battery)" strokeWidth="5" />
      <path d="M20.5 41v6M28.5 41v6M36.5 41v6" stroke="var(--pv)" strokeWidth="5" strokeLinecap="round" />
    </svg>
  )
}

/** Logo and name. */
export function Wordmark({ className }: { className?: string }) {
  return (
    <span className={cn('inline-flex items-center gap-2.5 font-semibold', className)}>
      <Logo />
      {PRODUCT_NAME}
    </span>
  )
}

/** A name, the same in every language. */
export const PRODUCT_NAME = 'Suncellar'
