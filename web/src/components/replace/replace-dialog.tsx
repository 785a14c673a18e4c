import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { REPLACEMENT } from '@/lib/data/systems'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { checkKey } from '@/lib/validation/key'
import { replaceUnit, showReplacement, tryReplacement } from './data'

type FormProps = {
  sn: string
  electrician: boolean
  onReplaced?: ((sn: string) => void | Promise<void>) | undefined
  onClose: () => void
}

/** Explains the replacement, asks for the new unit's key, and asks for confirmation. */
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
  /** The unit that the key names; null while the key is being entered. */
  const [unit, setUnit] = useState<string | null>(null)
  /** Remaining steps at the new unit, as the server describes them. */
  const [waiting, setWaiting] = useState<string | null>(null)
  /** The mutation lasts until the page shows the new unit. */
  const replacement = useMutation({
    mutationKey: REPLACEMENT,
    mutationFn: async (key: string) => {
      const answer = await replaceUnit(sn, key)
      if (answer.status !== 'replaced') return setWaiting(answer.text)
      notify.success(t('replace.done', { sn, next: answer.sn }))
      onClose()
      await showReplacement(sn, () => onReplaced?.(answer.sn))
    },
    onError: () => {
      // The error is shown at the field, which the question hides.
      setUnit(null)
      setWaiting(null)
    },
  })
  const form = useForm({
    initial: { key: '' },
    check: ({ key }) => ({ key: checkKey(key) }),
    send: async ({ key }) => {
      if (unit !== null) return replacement.mutateAsync(key)
      const found = await tryReplacement(sn, key)
      setUnit([found.sn, found.hardware && `(${found.hardware})`].filter(Boolean).join(' '))
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      {unit !== null ? (
        <div role="status" className="grid gap-4">
          <p className="font-medium break-words">{t('replace.confirm', { sn, unit })}</p>
          {waiting && (
            <Callout tone="warn" title={t('replace.waiting')}>
              {waiting}
            </Callout>
          )}
        </div>
      ) : (
        <>
          <ul className="grid list-disc gap-1.5 pl-5 text-md">
            {POINTS.map((point) => (
              <li key={point}>{t(`replace.point.${point}`)}</li>
            ))}
          </ul>
          <Field
            {...form.text('key')}
            label={t(electrician ? 'replace.key_electrician' : 'replace.key')}
            hint={t(electrician ? 'replace.key_hint_electrician' : 'replace.key_hint')}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            required
          />
        </>
      )}
      <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
        <Button variant="outline" onClick={unit === null ? onClose : () => setUnit(null)}>
          {t(unit === null ? 'ui.cancel' : 'replace.back')}
        </Button>
        {unit !== null ? (
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
