import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { pageCount, pageOf } from '@/components/ui/pages'
import { Pagination } from '@/components/ui/pagination'
import { cn } from '@/lib/cn'
import { PAGE_SIZE } from '@/lib/constants'
import { formatDateTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { siteTimeOf } from '@/lib/site-day'
import type { Message } from './model/messages'

type Props = {
  title: string
  /** Text for an empty list. */
  empty: string
  /** Newest first. */
  messages: readonly Message[]
}

/** Messages that a phone shows before "show all". */
const SHOWN_ON_PHONE = 3

/** The battery's messages, ten per page. */
export function MessageList({ title, empty, messages }: Props) {
  const { t } = useT()
  const [chosen, setChosen] = useState(1)
  const [all, setAll] = useState(false)
  const folded = !all && messages.length > SHOWN_ON_PHONE
  const { current, items } = pageOf(messages, chosen, PAGE_SIZE)
  return (
    <div className="min-w-0">
      <h3 className="text-md font-medium">{title}</h3>
      {messages.length === 0 ? (
        <p className="mt-2 text-sm text-muted">{empty}</p>
      ) : (
        <ul className={cn('mt-2 divide-y divide-line', folded && 'max-sm:[&>li:nth-child(n+4)]:hidden')}>
          {items.map((message) => (
            <MessageRow key={`${message.time} ${message.sn} ${message.code} ${message.on}`} {...message} />
          ))}
        </ul>
      )}
      {folded && (
        <Button variant="ghost" size="s" className="-ml-3 sm:hidden" onClick={() => setAll(true)}>
          {t('messages.more', { count: messages.length - SHOWN_ON_PHONE })}
        </Button>
      )}
      <div className={cn(folded && 'max-sm:hidden')}>
        <Pagination
          label={title}
          page={current}
          count={pageCount(messages.length, PAGE_SIZE)}
          onChange={setChosen}
        />
      </div>
    </div>
  )
}

function MessageRow({ time, text, sn }: Message) {
  const { locale } = useT()
  const at = siteTimeOf(time)
  return (
    <li className="py-2.5 text-sm">
      <p className="num flex flex-wrap gap-x-3 text-xs text-muted">
        {/* Already in the site's local time. */}
        <time>{at === null ? time : formatDateTime(at, { locale, timeZone: 'UTC' })}</time>
        {sn && <span>{sn}</span>}
      </p>
      <p className="mt-0.5 break-words">{text}</p>
    </li>
  )
}
