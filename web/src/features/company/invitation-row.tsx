import { useMutation } from '@tanstack/react-query'
import { Button } from '@/components/ui/button'
import { refusalText } from '@/lib/form/refusal-text'
import { formatDateTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { type Invitation, withdrawInvitation } from './data'

/** An open invitation. */
export function InvitationRow({ invitation: { id, email, role, expires_at } }: { invitation: Invitation }) {
  const { t, locale } = useT()
  const withdraw = useMutation({
    mutationFn: () => withdrawInvitation(id),
    onSuccess: () => notify.success(t('company.withdraw.done', { email })),
    onError: (error) => notify.error(refusalText(error, t, locale)),
  })
  const until = formatDateTime(expires_at, { locale, timeZone: undefined })
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{email}</p>
        <p className="text-sm text-muted">
          {[t(`company_role.${role}`), t('company.invited.until', { until })].join(' · ')}
        </p>
      </div>
      <Button
        variant="ghost"
        size="s"
        busy={withdraw.isPending}
        aria-label={t('company.withdraw.label', { email })}
        onClick={() => withdraw.mutate()}
        className="max-sm:-ml-3 sm:-mr-3"
      >
        {t('company.withdraw')}
      </Button>
    </li>
  )
}
