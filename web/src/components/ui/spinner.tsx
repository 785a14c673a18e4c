import { LoaderCircle } from 'lucide-react'
import { cn } from '@/lib/cn'

/** Decoration only: say in words what is going on. */
export function Spinner({ className }: { className?: string }) {
  return <LoaderCircle aria-hidden className={cn('shrink-0 animate-spin', className)} />
}
