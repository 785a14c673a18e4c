import { useMutation, useQuery } from '@tanstack/react-query'
import { Answer } from '@/components/ui/answer'
import { Card } from '@/components/ui/card'
import { Segmented } from '@/components/ui/segmented'
import { Skeleton } from '@/components/ui/skeleton'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { type AlarmMail, alarmMailQuery, chooseAlarmMail } from './data'

const CHOICES: readonly AlarmMail[] = ['at_once', 'digest', 'never']

/** Alarm mails: at once, daily, or none. */
export function MailCard() {
  const { t, locale } = useT()
  const alarms = useQuery(alarmMailQuery(locale))
  const { mutate, isPending, variables } = useMutation({
    mutationFn: chooseAlarmMail,
    onSuccess: () => notify.toast(t('alarms.mail.saved')),
    onError: () => notify.error(t('alarms.mail.failed')),
  })
  return (
    <Card title={t('alarms.mail')} description={t('alarms.mail.text')}>
      <Answer query={alarms} waiting={<Skeleton className="h-11" />}>
        {(data) => (
          <Segmented
            label={t('alarms.mail')}
            // The clicked value is shown while the request is pending.
            value={isPending ? variables : data.mail}
            options={CHOICES.map((value) => ({ value, label: t(`alarms.mail.${value}`) }))}
            onChange={(choice) => mutate(choice)}
          />
        )}
      </Answer>
    </Card>
  )
}
