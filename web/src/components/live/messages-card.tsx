import { Card } from '@/components/ui/card'
import { useT } from '@/lib/i18n/use-t'
import { useSkew } from '@/lib/live/use-live'
import { useNow } from '@/lib/use-now'
import { MessageList } from './message-list'
import { concernsOf, silentOf } from './model/concerns'
import { messagesOf } from './model/messages'
import type { Reading } from './model/reading'
import { Notices } from './notices'

/** How old a value is changes slowly: this often is often enough. */
const AGE_CHECK = 5_000

/** Notices of now, then what was reported: grid protection, errors of the battery, and everything else. */
export function MessagesCard({ reading }: { reading: Reading }) {
  const { t } = useT()
  const { protection, battery, other } = messagesOf(reading.messages)
  const now = useNow(AGE_CHECK) + useSkew()
  const well = concernsOf(reading, now).length === 0
  return (
    <Card title={t('messages.title')}>
      <div className="grid gap-6">
        <Notices reading={reading} silent={silentOf(reading, now)} />
        <div className="grid gap-6 lg:grid-cols-2">
          <MessageList
            title={t('messages.protection')}
            empty={t('messages.protection.none')}
            messages={protection}
          />
          <MessageList
            title={t('messages.battery')}
            empty={t(well ? 'messages.battery.none' : 'messages.battery.none_reported')}
            messages={battery}
          />
          {other.length > 0 && (
            <MessageList title={t('messages.other')} empty={t('messages.other')} messages={other} />
          )}
        </div>
      </div>
    </Card>
  )
}
