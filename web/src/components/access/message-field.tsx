import { TextArea } from '@/components/ui/text-area'
import type { TextBinding } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { MESSAGE_MAX } from './data'

/** A message to the owner, shown in the mail and beside the request. */
export function MessageField({ field }: { field: TextBinding }) {
  const { t } = useT()
  return (
    <TextArea
      {...field}
      label={t('ask.message')}
      hint={t('ask.message.hint', { most: MESSAGE_MAX })}
      maxLength={MESSAGE_MAX}
    />
  )
}
