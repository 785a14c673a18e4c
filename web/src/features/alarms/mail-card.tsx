import { useMutation, useQuery } from '@tanstack/react-query'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Segmented } from '@/components/ui/segmented'
import { Skeleton } from '@/components/ui/skeleton'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { type AlarmMail, alarmMailQuery, chooseAlarmMail } from './data'

const CHOICES: readonly AlarmMail[] = ['at_once', 'digest', 'never']

/** Alarm mails: at once, daily, or none. */
export function MailCard() {
  const { t, locale } = useT()
  const { data, error } = useQuery(alarmMailQuery(locale))
  const { mutate, isPending, variables } = useMutation({
    mutationFn: chooseAlarmMail,
    onSuccess: () => notify.toast(t('alarms.mail.saved')),
    onError: () => notify.error(t('alarms.mail.failed')),
  })
  return (
    <Card title={t('alarms.mail')} description={t('alarms.mail.text')} aria-busy={!data && !error}>
      {error && <Callout tone="danger">{refusalText(error, t, locale)}</Callout>}
      {!data && !error && <Skeleton className="h-11" />}
      {data && (
        <Segmented
          label={t('alarms.mail')}
          // The clicked value is shown while the request is pending.
          value={isPending ? variables : data.mail}
          options={CHOICES.map((value) => ({ value, label: t(`alarms.mail.${value}`) }))}
          onChange={(choice) => mutate(choice)}
        />
      )}
    </Card>
  )
}
