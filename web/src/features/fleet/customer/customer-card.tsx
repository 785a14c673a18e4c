import { useQuery } from '@tanstack/react-query'
import { MapPin, Phone } from 'lucide-react'
import { Answer } from '@/components/ui/answer'
import { Card } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { textLinkStyle } from '@/components/ui/text-link'
import { cn } from '@/lib/cn'
import { grantsQuery } from '@/lib/data/grants'
import { systemsQuery } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { customerQuery } from './data'
import { NoteForm } from './note-form'
import { Photos } from './photos'

/** The customer card: contact and address, and the company's own note and photos. */
export function CustomerCard({ sn }: { sn: string }) {
  const { t } = useT()
  return (
    <Card title={t('customer.title')} description={t('customer.text')}>
      <Contact sn={sn} />
      <Answer query={useQuery(customerQuery(sn))} waiting={<Skeleton className="h-40" />}>
        {(customer) => (
          <div className="grid gap-6 lg:grid-cols-2">
            <NoteForm sn={sn} customer={customer} />
            <Photos sn={sn} photos={customer.photos} />
          </div>
        )}
      </Answer>
    </Card>
  )
}

/** The contact data that the owner shares. */
function Contact({ sn }: { sn: string }) {
  const { t } = useT()
  const { data } = useQuery(grantsQuery)
  const { data: systems } = useQuery(systemsQuery)
  const owned = systems?.some((system) => system.sn === sn && system.household != null)
  const grant = data?.held.find((one) => one.sn === sn && (one.phone !== null || one.address !== null))
  if (!grant)
    return owned && data ? <p className="mb-5 text-sm text-muted">{t('customer.no_contact')}</p> : null
  const line = 'flex min-h-9 items-center gap-2'
  return (
    <div className="mb-5 flex flex-wrap gap-x-6">
      {grant.phone && (
        <a
          href={`tel:${grant.phone}`}
          aria-label={t('fleet.call', { phone: grant.phone })}
          className={cn(textLinkStyle, line, 'num')}
        >
          <Phone aria-hidden className="size-4" />
          {grant.phone}
        </a>
      )}
      {grant.address && (
        <p className={cn(line, 'wrap-anywhere')}>
          <MapPin aria-hidden className="size-4 shrink-0 text-muted" />
          {grant.address}
        </p>
      )}
    </div>
  )
}
