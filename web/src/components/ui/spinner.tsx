import { LoaderCircle } from 'lucide-react'
import { cn } from '@/lib/cn'

/** Decorative: describe the state in text beside it. */
export function Spinner({ className }: { className?: string }) {
  return <LoaderCircle aria-hidden className={cn('shrink-0 animate-spin', className)} />
}
