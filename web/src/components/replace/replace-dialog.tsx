import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { api, unwrap } from '@/lib/api/client'
import { claimsQuery, systemsQuery } from '@/lib/api/queries'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { checkKey, normaliseKey } from '@/lib/validation/key'

type FormProps = {
  sn: string
  electrician: boolean
  onReplaced?: ((sn: string) => void) | undefined
  onClose: () => void
}

/** Explains what an exchange is, asks for the new unit's key, and asks once more before it happens. */
export function ReplaceDialog({ open, ...props }: FormProps & { open: boolean }) {
  const { t } = useT()
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && props.onClose()}
      title={t('replace.title', { sn: props.sn })}
      description={t('replace.text')}
    >
      <ReplaceForm {...props} />
    </Dialog>
  )
}

const POINTS = ['goes_on', 'new', 'old'] as const

function ReplaceForm({ sn, electrician, onReplaced, onClose }: FormProps) {
  const { t } = useT()
  const queries = useQueryClient()
  const [asked, setAsked] = useState(false)
  /** What is still to be done at the new unit, in the server's words. */
  const [waiting, setWaiting] = useState<string | null>(null)
  const form = useForm({
    initial: { key: '' },
    check: ({ key }) => ({ key: checkKey(key) }),
    send: async ({ key }) => {
      if (!asked) return setAsked(true)
      try {
        const body = { key: normaliseKey(key) }
        const path = { sn }
        const answer = await unwrap(api.POST('/api/auth/system/{sn}/replace/', { params: { path }, body }))
        if (answer.status !== 'replaced') {
          setWaiting(answer.text)
          return queries.invalidateQueries({ queryKey: claimsQuery.queryKey })
        }
        notify.success(t('replace.done', { sn, next: answer.sn }))
        onClose()
        await queries.invalidateQueries({ queryKey: systemsQuery.queryKey })
        onReplaced?.(answer.sn)
        // Whatever was read of it has another number now.
        void queries.invalidateQueries()
      } catch (error) {
        // What is wrong is said at the field, which is behind the question.
        setAsked(false)
        setWaiting(null)
        throw error
      }
    },
  })
  const key = normaliseKey(form.values.key)
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      {asked ? (
        <div role="status" className="grid gap-4">
          <p className="font-medium break-words">{t('replace.confirm', { sn, key })}</p>
          {waiting && (
            <Callout tone="warn" title={t('replace.waiting')}>
              {waiting}
            </Callout>
          )}
        </div>
      ) : (
        <>
          <ul className="grid list-disc gap-1.5 pl-5 text-[14px]">
            {POINTS.map((point) => (
              <li key={point}>{t(`replace.point.${point}`)}</li>
            ))}
          </ul>
          <Field
            {...form.text('key')}
            label={t('replace.key')}
            hint={t(electrician ? 'replace.key_hint_electrician' : 'replace.key_hint')}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            required
          />
        </>
      )}
      <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
        <Button variant="outline" onClick={asked ? () => setAsked(false) : onClose}>
          {t(asked ? 'replace.back' : 'ui.cancel')}
        </Button>
        {asked ? (
          <Button key="submit" type="submit" variant="danger" busy={form.busy}>
            {t('replace.submit')}
          </Button>
        ) : (
          <Button key="next" type="submit" busy={form.busy}>
            {t('replace.next')}
          </Button>
        )}
      </div>
    </form>
  )
}
