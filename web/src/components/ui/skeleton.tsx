import { cn } from '@/lib/cn'

/**
 * Stands in for content and has its final size: give it height and width, and a key apart from the content's.
 * Silent: the region that holds it says `aria-busy`.
 */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cn('skeleton min-h-4 w-full', className)} />
}
