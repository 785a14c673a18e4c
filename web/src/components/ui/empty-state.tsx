import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'

type Props = { icon: LucideIcon; action?: ReactNode; children: ReactNode; className?: string }

/** An empty state: one sentence and one action. */
export function EmptyState({ icon: Icon, action, children, className }: Props) {
  return (
    <div className={cn('card grid justify-items-center gap-4 px-6 py-14 text-center', className)}>
      <span className="grid size-14 place-items-center rounded-full bg-surface-2 text-muted">
        <Icon aria-hidden className="size-6" />
      </span>
      <p className="max-w-md text-lg text-balance text-muted">{children}</p>
      {action}
    </div>
  )
}
