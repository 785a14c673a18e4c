import { useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import type { Account } from '@/lib/data/account'
import { type TextBinding, useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { makePasskey } from '@/lib/passkey/browser'
import { addPasskey, beginPasskey, type PasskeyCreation } from './data'
import { checkName, deviceName, NAME_MAX } from './model'
import { ProveIdentity } from './prove-identity'

type Props = { account: Account; onDone: () => void }

/** Adds a passkey: proves the identity, takes a name, and opens the browser's dialog. */
export function AddPasskey({ account, onDone }: Props) {
  const { t } = useT()
  const [options, setOptions] = useState<PasskeyCreation | null>(null)
  if (options) return <Create options={options} onDone={onDone} />
  return (
    <ProveIdentity
      account={account}
      submit={t('totp.begin')}
      send={async (proof) => setOptions(await beginPasskey(proof))}
    />
  )
}

function Create({ options, onDone }: { options: PasskeyCreation; onDone: () => void }) {
  const { t } = useT()
  const section = useRef<HTMLDivElement>(null)
  const form = useForm({
    initial: { name: deviceName(navigator.userAgent) },
    check: checkName,
    send: async ({ name }) => {
      await addPasskey(name, await makePasskey(options))
      notify.success(t('passkey.added', { name: name.trim() }))
      onDone()
    },
  })
  // The element that had the focus is gone.
  useEffect(() => section.current?.querySelector('input')?.focus(), [])
  return (
    <div ref={section}>
      <form {...form.form} className="grid gap-5">
        <p className="text-md">{t('passkey.create.text')}</p>
        <FormProblem form={form} />
        <NameField {...form.text('name')} />
        <Button type="submit" busy={form.busy} className="sm:justify-self-end">
          {t('passkey.create')}
        </Button>
      </form>
    </div>
  )
}

/** The person's name for a passkey. */
export function NameField(binding: TextBinding) {
  const { t } = useT()
  return (
    <Field
      {...binding}
      label={t('passkey.name')}
      hint={t('passkey.name.hint')}
      autoComplete="off"
      maxLength={NAME_MAX}
      required
    />
  )
}
