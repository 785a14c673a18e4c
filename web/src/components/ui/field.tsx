import type { ComponentProps, ReactNode } from 'react'
import { cn } from '@/lib/cn'
import { controlStyle, FieldFrame, type FrameProps } from './field-frame'

type Props = FrameProps &
  ComponentProps<'input'> & {
    /** An element inside the field, at its end, such as a button. */
    trailing?: ReactNode
  }

/** A labelled line of text. Spread `register('name')` of react-hook-form into it. */
export function Field({ label, hint, error, describedBy, action, trailing, className, ...input }: Props) {
  return (
    <FieldFrame label={label} hint={hint} error={error} describedBy={describedBy} action={action}>
      {(control) => (
        <div className="relative">
          <input {...control} className={cn(controlStyle, trailing && 'pr-13', className)} {...input} />
          {trailing && <div className="absolute inset-y-0 right-0.5 flex items-center">{trailing}</div>}
        </div>
      )}
    </FieldFrame>
  )
}
