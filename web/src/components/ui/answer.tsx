import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { formatDateTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { NotLoaded } from './not-loaded'

type Props<Data> = {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'isFetching' | 'dataUpdatedAt' | 'refetch'>
  /** What could not be loaded; the reason and a retry stand below. */
  failed?: string
  /** A placeholder of the content's size. */
  waiting: ReactNode
  children: (data: Data) => ReactNode
}

/** An answer of the server is loading, has failed, is there, or is there and cannot be refreshed. */
export function Answer<Data>({ query, failed, waiting, children }: Props<Data>) {
  const { data, error, isFetching, dataUpdatedAt, refetch } = query
  if (data !== undefined)
    return (
      <>
        {error && <Stale at={dataUpdatedAt} />}
        {children(data)}
      </>
    )
  if (error) return <NotLoaded title={failed} error={error} busy={isFetching} onRetry={refetch} />
  return <div aria-busy="true">{waiting}</div>
}

function Stale({ at }: { at: number }) {
  const { t, locale } = useT()
  return (
    <p role="status" className="num mb-3 text-sm text-warn">
      {t('ui.stale', { at: formatDateTime(at, { locale }) })}
    </p>
  )
}
