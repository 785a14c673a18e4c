import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { cn } from '@/lib/cn'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { comment, dismiss } from './data'

const MAX_LENGTH = 500

type Props = {
  id: number
  /** The alarm can be closed by hand. */
  open: boolean
  onDone: () => void
  className?: string
}

/** A comment, which may also close the alarm. */
export function CommentForm({ id, open, onDone, className }: Props) {
  const { t } = useT()
  const form = useForm({
    initial: { text: '', close: false },
    check: ({ text }) => ({ text: text.trim() === '' ? 'required' : undefined }),
    send: async ({ text, close }) => {
      await (close ? dismiss(id, text) : comment(id, text))
      onDone()
    },
  })
  return (
    <form {...form.form} className={cn('grid gap-3 rounded-lg bg-surface-2 p-3', className)}>
      <FormProblem form={form} />
      <Field
        {...form.text('text')}
        label={t('alarms.comment')}
        hint={t('alarms.comment_hint')}
        maxLength={MAX_LENGTH}
        autoFocus
        required
      />
      {open && <Checkbox {...form.tick('close')} label={t('alarms.dismiss')} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="s" busy={form.busy}>
          {t('alarms.comment_send')}
        </Button>
        <Button variant="outline" size="s" onClick={onDone}>
          {t('ui.cancel')}
        </Button>
      </div>
    </form>
  )
}
