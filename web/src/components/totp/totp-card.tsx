import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Dialog } from '@/components/ui/dialog'
import type { Account } from '@/lib/data/account'
import { formatLongDate } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { endTotp, renewRecoveryCodes } from './data'
import { ProveTotp } from './prove-totp'
import { RecoveryCodes } from './recovery-codes'
import { SetUpTotp } from './set-up-totp'

type Open = 'set_up' | 'renew' | 'end'

/** From this number on the card warns. */
const FEW_CODES = 3

/** The state of two-step login, and its actions. */
export function TotpCard({ totp: { since, recovery_codes, required } }: { totp: Account['totp'] }) {
  const { t, locale } = useT()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <Card title={t('totp.title')} description={t('totp.text')}>
      {since === null ? (
        <Button onClick={() => setOpen('set_up')}>{t('totp.set_up')}</Button>
      ) : (
        <div className="grid gap-4">
          <p className="text-md">
            <strong className="font-semibold text-ok">{t('totp.on')}</strong>{' '}
            {t('totp.since', { date: formatLongDate(since, { locale }) })}
          </p>
          {recovery_codes < FEW_CODES ? (
            <Callout tone="warn">{t('totp.left', { count: recovery_codes })}</Callout>
          ) : (
            <p className="text-md text-muted">{t('totp.left', { count: recovery_codes })}</p>
          )}
          {required && <p className="text-md text-muted">{t('totp.required')}</p>}
          <div className="flex flex-wrap gap-3">
            <Button variant="outline" onClick={() => setOpen('renew')}>
              {t('totp.renew')}
            </Button>
            {!required && (
              <Button variant="danger" onClick={() => setOpen('end')}>
                {t('totp.end')}
              </Button>
            )}
          </div>
        </div>
      )}
      <SetUpDialog open={open === 'set_up'} onClose={close} />
      <RenewDialog open={open === 'renew'} onClose={close} />
      <EndDialog open={open === 'end'} onClose={close} />
    </Card>
  )
}

type DialogProps = { open: boolean; onClose: () => void }

function SetUpDialog({ open, onClose }: DialogProps) {
  const { t } = useT()
  return (
    <Dialog
      tall
      open={open}
      onOpenChange={onClose}
      title={t('totp.set_up.title')}
      description={t('totp.set_up.text')}
    >
      <SetUpTotp onDone={onClose} />
    </Dialog>
  )
}

function RenewDialog({ open, onClose }: DialogProps) {
  const { t } = useT()
  return (
    <Dialog open={open} onOpenChange={onClose} title={t('totp.renew')} description={t('totp.renew.text')}>
      <Renew onDone={onClose} />
    </Dialog>
  )
}

function Renew({ onDone }: { onDone: () => void }) {
  const { t } = useT()
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} />
  return (
    <ProveTotp
      submit={t('totp.renew.submit')}
      send={async (proof) => setCodes(await renewRecoveryCodes(proof))}
    />
  )
}

function EndDialog({ open, onClose }: DialogProps) {
  const { t } = useT()
  async function end(proof: { password: string; totp: string }) {
    await endTotp(proof)
    onClose()
    notify.success(t('totp.ended'))
  }
  return (
    <Dialog open={open} onOpenChange={onClose} title={t('totp.end.title')} description={t('totp.end.text')}>
      <ProveTotp danger submit={t('totp.end')} send={end} />
    </Dialog>
  )
}
