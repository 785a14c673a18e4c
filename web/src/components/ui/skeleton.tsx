import { cn } from '@/lib/cn'

/**
 * A placeholder of the content's final size. Give it height, width and a different key from the content.
 * Hidden from screen readers: set `aria-busy` on the region around it.
 */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cn('skeleton min-h-4 w-full', className)} />
}
