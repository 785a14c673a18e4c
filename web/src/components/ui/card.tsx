import type { ComponentProps, ReactNode } from 'react'
import { useId } from 'react'
import { cn } from '@/lib/cn'

type Props = Omit<ComponentProps<'section'>, 'title'> & {
  title?: ReactNode
  description?: ReactNode
  /** An element beside the title, such as a button. */
  action?: ReactNode
}

/** A surface with its own heading. */
export function Card({ title, description, action, className, children, ...rest }: Props) {
  const id = useId()
  return (
    <section aria-labelledby={title ? id : undefined} className={cn('card min-w-0 p-5', className)} {...rest}>
      {title && (
        <header className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
          <div className="min-w-0">
            <h2 id={id} className="card-heading">
              {title}
            </h2>
            {description && <p className="mt-1 text-md text-muted">{description}</p>}
          </div>
          {action}
        </header>
      )}
      {children}
    </section>
  )
}
