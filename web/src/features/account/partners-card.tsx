import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Answer } from '@/components/ui/answer'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import { Skeleton } from '@/components/ui/skeleton'
import { formatLongDate } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { type Consent, consentsQuery, endConsent } from './data'

/** Partner apps with access to the owner's systems. */
export function PartnersCard() {
  const { t } = useT()
  return (
    <Card title={t('account.partners')} description={t('account.partners.text')}>
      <Answer query={useQuery(consentsQuery)} waiting={<Skeleton className="h-12" />}>
        {(consents) =>
          consents.length === 0 ? (
            <p className="text-md text-muted">{t('account.partners.none')}</p>
          ) : (
            <ul className="divide-y divide-line">
              {consents.map((consent) => (
                <ConsentRow key={consent.id} consent={consent} />
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  )
}

function ConsentRow({ consent: { id, name, since, scopes } }: { consent: Consent }) {
  const { t, locale } = useT()
  const [asking, setAsking] = useState(false)
  const end = useMutation({
    mutationFn: () => endConsent(id),
    onSuccess: () => {
      setAsking(false)
      notify.success(t('account.partners.ended', { app: name }))
    },
  })
  return (
    <li className="flex items-center justify-between gap-4 py-2.5">
      <div className="min-w-0 text-md">
        <p className="font-medium break-words">{name}</p>
        <p className="text-muted">
          {t('account.partners.since', { date: formatLongDate(since, { locale }) })}
        </p>
        <p className="text-muted">{scopes.map((scope) => scopeText(scope, t)).join(' · ')}</p>
      </div>
      <Button
        variant="ghost"
        size="s"
        aria-label={t('account.partners.end_label', { app: name })}
        onClick={() => setAsking(true)}
      >
        {t('account.partners.end')}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('account.partners.end_title', { app: name })}
        text={t('account.partners.end_text')}
        confirm={t('account.partners.end')}
        work={end}
      />
    </li>
  )
}

function scopeText(scope: string, t: ReturnType<typeof useT>['t']) {
  if (scope === 'systems') return t('account.scope.systems')
  return scope === 'live' ? t('account.scope.live') : scope
}
