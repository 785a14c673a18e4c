import type { ComponentProps } from 'react'
import { cn } from '@/lib/cn'
import { controlStyle, FieldFrame, type FrameProps } from './field-frame'

type Props = FrameProps & ComponentProps<'textarea'>

/** A labelled multi-line input. */
export function TextArea({ label, hint, error, describedBy, action, className, ...input }: Props) {
  return (
    <FieldFrame label={label} hint={hint} error={error} describedBy={describedBy} action={action}>
      {(control) => (
        <textarea
          rows={2}
          {...control}
          className={cn(controlStyle, 'h-auto min-h-12 resize-y py-2.5', className)}
          {...input}
        />
      )}
    </FieldFrame>
  )
}
