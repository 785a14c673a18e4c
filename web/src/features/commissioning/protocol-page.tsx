import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { ChevronLeft, FileX } from 'lucide-react'
import { EmptyState } from '@/components/ui/empty-state'
import { PageHeading } from '@/components/ui/page-heading'
import { Skeleton } from '@/components/ui/skeleton'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { HandOverCard } from './components/hand-over-card'
import { PdfButton } from './components/pdf-button'
import { Sheet } from './components/sheet'
import { protocolQuery } from './data'

/** The protocol of a commissioning, to read and to take away. */
export function ProtocolPage() {
  const { t, locale } = useT()
  const id = useParams({ strict: false, select: (params: { id?: string }) => params.id ?? '' })
  const { data, error } = useQuery(protocolQuery(id, locale))
  return (
    <div className="mx-auto max-w-4xl">
      {data?.hand_over && (
        <Link
          to="/electrician-dashboard/$sn"
          params={{ sn: data.units[0] ?? '' }}
          className="mb-2 -ml-1 inline-flex min-h-9 items-center gap-1 rounded-lg px-1 text-sm text-muted hover:text-text"
        >
          <ChevronLeft aria-hidden className="size-4" />
          {t('commissioning.back')}
        </Link>
      )}
      <div className="flex flex-wrap items-start justify-between gap-x-4">
        <PageHeading aside={data?.number}>{data?.sheet.title ?? t('protocol.title')}</PageHeading>
        {data && (
          <div className="mb-4">
            <PdfButton protocol={data} />
          </div>
        )}
      </div>
      {error ? (
        <EmptyState icon={FileX}>{refusalText(error, t, locale)}</EmptyState>
      ) : data ? (
        <div className="grid gap-4">
          {data.hand_over && <HandOverCard protocol={data} handOver={data.hand_over} />}
          <Sheet sheet={data.sheet} />
        </div>
      ) : (
        <div aria-busy="true">
          <Skeleton className="h-96" />
        </div>
      )}
    </div>
  )
}
