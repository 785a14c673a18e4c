import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { FormProblem } from '@/components/ui/form-problem'
import { TextArea } from '@/components/ui/text-area'
import { ApiError } from '@/lib/api/errors'
import { useForm } from '@/lib/form/use-form'
import { formatDateTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { queryClient } from '@/lib/query-client'
import { type Customer, customerQuery, NOTE_MAX, saveNote } from './data'

/** The company's note about this customer. */
export function NoteForm({ sn, customer }: { sn: string; customer: Customer }) {
  const { t, locale } = useT()
  // The text that was loaded: newer changes by colleagues must not be overwritten.
  const [read, setRead] = useState(customer)
  const [newer, setNewer] = useState<Customer | null>(null)
  async function showNewer() {
    const now = await queryClient.fetchQuery({ ...customerQuery(sn), staleTime: 0 })
    setRead(now)
    setNewer(now)
  }
  const form = useForm({
    initial: { note: customer.note },
    check: ({ note }) => ({ note: note.length > NOTE_MAX ? 'too_long' : null }),
    send: async ({ note }) => {
      try {
        await saveNote(sn, { note, known: read.changed_at })
      } catch (error) {
        if (error instanceof ApiError && error.status === 409) await showNewer()
        throw error
      }
      setRead(current(sn) ?? read)
      notify.success(t('customer.note.saved'))
    },
  })
  const { changed_at: at, changed_by: by } = read
  return (
    <form {...form.form} className="grid content-start gap-4">
      <FormProblem form={form} />
      {newer && form.failure && (
        <Callout tone="info" title={t('customer.note.newer', { who: newer.changed_by ?? '' })}>
          <span className="whitespace-pre-line">{newer.note}</span>
        </Callout>
      )}
      <TextArea
        {...form.text('note')}
        label={t('customer.note')}
        hint={t('customer.note.hint')}
        rows={6}
        maxLength={NOTE_MAX}
      />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button type="submit" variant="outline" busy={form.busy}>
          {t('customer.note.save')}
        </Button>
        {at !== null && (
          <p className="text-sm text-muted">
            {t(by ? 'customer.note.changed_by' : 'customer.note.changed', {
              at: formatDateTime(at, { locale, timeZone: undefined }),
              who: by ?? '',
            })}
          </p>
        )}
      </div>
    </form>
  )
}

const current = (sn: string) => queryClient.getQueryData(customerQuery(sn).queryKey)
