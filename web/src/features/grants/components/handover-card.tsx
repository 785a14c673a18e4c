import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import { Dialog } from '@/components/ui/dialog'
import type { Handover } from '@/lib/data/grants'
import type { System } from '@/lib/data/systems'
import { formatLongDate } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useTimeZone } from '@/lib/live/use-time-zone'
import { notify } from '@/lib/notify'
import { withdrawHandover } from '../data'
import { HandoverForm } from './handover-form'

type Props = { handovers: readonly Handover[]; systems: readonly System[] }

/** Hands a system over to a new owner; none of the old owner's data goes with it. */
export function HandoverCard({ handovers, systems }: Props) {
  const { t } = useT()
  const [form, setForm] = useState({ number: 0, open: false })
  const close = () => setForm((before) => ({ ...before, open: false }))
  const free = systems.filter(({ sn }) => !handovers.some((handover) => handover.sn === sn))
  return (
    <Card title={t('grants.handover')} description={t('grants.handover.text')}>
      <div className="grid gap-4">
        {handovers.length > 0 && (
          <ul className="divide-y divide-line">
            {handovers.map((handover) => (
              <HandoverRow key={handover.id} handover={handover} />
            ))}
          </ul>
        )}
        {free.length > 0 && (
          <Button
            variant="outline"
            className="justify-self-start"
            onClick={() => setForm(({ number }) => ({ number: number + 1, open: true }))}
          >
            {t('grants.handover.begin')}
          </Button>
        )}
      </div>
      {form.number > 0 && (
        <Dialog
          open={form.open}
          tall
          onOpenChange={(next) => !next && close()}
          title={t('grants.handover.title')}
          description={t('grants.handover.what')}
        >
          <HandoverForm key={form.number} systems={free} onClose={close} />
        </Dialog>
      )}
    </Card>
  )
}

function HandoverRow({ handover: { id, sn, email, until } }: { handover: Handover }) {
  const { t, locale } = useT()
  const timeZone = useTimeZone(sn)
  const [asking, setAsking] = useState(false)
  const withdraw = useMutation({
    mutationFn: () => withdrawHandover(id),
    onSuccess: () => {
      setAsking(false)
      notify.success(t('grants.handover.withdrawn', { sn }))
    },
  })
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5 text-md">
      <div className="min-w-0">
        <p className="num font-medium break-all">{sn}</p>
        <p className="text-sm text-muted wrap-anywhere">
          {t('grants.handover.offered', { email, date: formatLongDate(until, { locale, timeZone }) })}
        </p>
      </div>
      <Button
        variant="ghost"
        size="s"
        aria-label={t('grants.deed_label', { deed: t('grants.handover.withdraw'), name: email, sn })}
        onClick={() => setAsking(true)}
      >
        {t('grants.handover.withdraw')}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('grants.handover.withdraw_title', { sn })}
        text={t('grants.handover.withdraw_text', { email })}
        confirm={t('grants.handover.withdraw')}
        work={withdraw}
      />
    </li>
  )
}
