import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { cn } from '@/lib/cn'

type Props = {
  /** The target of a link. */
  id?: string
  title: ReactNode
  /** The content in one line, shown while it is collapsed. */
  summary?: ReactNode
  open: boolean
  onToggle: () => void
  children: ReactNode
}

/** A collapsible section. Collapsed content is neither visible nor focusable. */
export function Disclosure({ id: place, title, summary, open, onToggle, children }: Props) {
  const id = useId()
  return (
    <section id={place} aria-labelledby={`${id}-title`}>
      <h3>
        <button
          type="button"
          aria-expanded={open}
          aria-controls={`${id}-content`}
          onClick={onToggle}
          className="flex min-h-14 w-full items-center justify-between gap-4 rounded-lg py-3 text-left"
        >
          <span className="min-w-0">
            <span id={`${id}-title`} className="block text-lg font-semibold">
              {title}
            </span>
            {summary && !open && (
              <span className="num mt-0.5 block text-sm text-muted wrap-anywhere">{summary}</span>
            )}
          </span>
          <ChevronDown
            aria-hidden
            className={cn(
              'size-5 shrink-0 text-muted transition-transform duration-250',
              open && 'rotate-180',
            )}
          />
        </button>
      </h3>
      <div
        id={`${id}-content`}
        inert={!open}
        className={cn(
          'grid transition-[grid-template-rows,visibility] duration-250 ease-out',
          open ? 'grid-rows-[1fr]' : 'invisible grid-rows-[0fr]',
        )}
      >
        {/* Padding, so that focus outlines are not clipped. */}
        <div className="-mx-1 min-h-0 overflow-hidden px-1">
          <div className="pt-1 pb-6">{children}</div>
        </div>
      </div>
    </section>
  )
}
