import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Dialog } from '@/components/ui/dialog'
import { FormProblem } from '@/components/ui/form-problem'
import type { Account } from '@/lib/data/account'
import { useForm } from '@/lib/form/use-form'
import { formatLongDate } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { knowsPasskeys } from '@/lib/passkey/problem'
import { AddPasskey, NameField } from './add-passkey'
import { type Proof, removePasskey, renamePasskey } from './data'
import { checkName } from './model'
import { ProveIdentity } from './prove-identity'

type Passkey = Account['passkeys'][number]

/** Lists the account's passkeys; adds, renames and removes them. */
export function PasskeyCard({ account }: { account: Account }) {
  const { t } = useT()
  const [adding, setAdding] = useState(false)
  const close = () => setAdding(false)
  const { passkeys } = account
  return (
    <Card title={t('passkey.title')} description={t('passkey.text')}>
      <div className="grid gap-4">
        {passkeys.length === 0 ? (
          <p className="text-md text-muted">{t('passkey.none')}</p>
        ) : (
          <ul className="divide-y divide-line">
            {passkeys.map((passkey) => (
              <PasskeyRow key={passkey.id} account={account} passkey={passkey} />
            ))}
          </ul>
        )}
        {knowsPasskeys() ? (
          <Button onClick={() => setAdding(true)} className="justify-self-start">
            {t('passkey.add')}
          </Button>
        ) : (
          <p className="text-md text-muted">{t('passkey.problem.unavailable')}</p>
        )}
      </div>
      <Dialog open={adding} onOpenChange={close} title={t('passkey.add')} description={t('passkey.add.text')}>
        <AddPasskey account={account} onDone={close} />
      </Dialog>
    </Card>
  )
}

function PasskeyRow({ account, passkey }: { account: Account; passkey: Passkey }) {
  const { t, locale } = useT()
  const [open, setOpen] = useState<'rename' | 'remove' | null>(null)
  const close = () => setOpen(null)
  const { name, created_at, used_at } = passkey
  const date = (at: number) => formatLongDate(at, { locale })
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5">
      <div className="min-w-0 text-md">
        <p className="font-medium break-words">{name}</p>
        <p className="text-muted">{t('passkey.since', { date: date(created_at) })}</p>
        <p className="text-muted">
          {used_at === null ? t('passkey.unused') : t('passkey.used', { date: date(used_at) })}
        </p>
      </div>
      <div className="flex flex-wrap gap-1">
        <Button
          variant="ghost"
          size="s"
          aria-label={t('passkey.rename_label', { name })}
          onClick={() => setOpen('rename')}
        >
          {t('passkey.rename')}
        </Button>
        <Button
          variant="ghost"
          size="s"
          aria-label={t('passkey.remove_label', { name })}
          onClick={() => setOpen('remove')}
        >
          {t('passkey.remove')}
        </Button>
      </div>
      <Dialog open={open === 'rename'} onOpenChange={close} title={t('passkey.rename_label', { name })}>
        <Rename passkey={passkey} onDone={close} />
      </Dialog>
      <RemoveDialog account={account} passkey={passkey} open={open === 'remove'} onClose={close} />
    </li>
  )
}

function Rename({ passkey: { id, name }, onDone }: { passkey: Passkey; onDone: () => void }) {
  const { t } = useT()
  const form = useForm({
    initial: { name },
    check: checkName,
    send: async (values) => {
      await renamePasskey(id, values.name)
      onDone()
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <NameField {...form.text('name')} />
      <Button type="submit" busy={form.busy} className="sm:justify-self-end">
        {t('passkey.rename')}
      </Button>
    </form>
  )
}

type RemoveProps = { account: Account; passkey: Passkey; open: boolean; onClose: () => void }

function RemoveDialog({ account, passkey: { id, name }, open, onClose }: RemoveProps) {
  const { t } = useT()
  async function remove(proof: Proof) {
    await removePasskey(id, proof)
    onClose()
    notify.success(t('passkey.removed', { name }))
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title={t('passkey.remove_label', { name })}
      description={t('passkey.remove.text')}
    >
      <ProveIdentity danger account={account} submit={t('passkey.remove')} send={remove} />
    </Dialog>
  )
}
