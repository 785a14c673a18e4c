import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card } from '@/components/ui/card'
import { textLinkStyle } from '@/components/ui/text-link'
import { formatDateTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useTimeZone } from '@/lib/live/use-time-zone'
import { PdfButton } from './components/pdf-button'
import { type Protocol, protocolsQuery } from './data'

type Props = {
  serials: readonly string[]
  /** Without a protocol there is nothing to see. */
  quiet?: boolean
}

/** The protocols that are kept with systems, newest first. */
export function ProtocolsCard({ serials, quiet = false }: Props) {
  const { t, locale } = useT()
  const timeZone = useTimeZone(serials[0])
  const answers = useQueries({ queries: serials.map(protocolsQuery) })
  const waiting = answers.some(({ isPending }) => isPending)
  const protocols = [...byId(answers.flatMap(({ data }) => data ?? [])).values()].sort(
    (one, other) => other.finished_at - one.finished_at,
  )
  if (quiet && protocols.length === 0) return null
  return (
    <Card title={t('protocol.list')} description={t('protocol.list.text')} aria-busy={waiting}>
      {protocols.length === 0 && !waiting && <p className="text-md text-muted">{t('protocol.none')}</p>}
      <ul className="divide-y divide-line">
        {protocols.map((protocol) => (
          <li key={protocol.id} className="flex flex-wrap items-center justify-between gap-3 py-3">
            <div className="min-w-0 text-md">
              <Link to="/protocol/$id" params={{ id: String(protocol.id) }} className={textLinkStyle}>
                <span className="num">{protocol.number}</span>
              </Link>
              <p className="num text-sm text-muted">
                {[formatDateTime(protocol.finished_at, { locale, timeZone }), protocol.company]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
            </div>
            <PdfButton protocol={protocol} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Units of one site share a protocol. */
const byId = (protocols: readonly Protocol[]) => new Map(protocols.map((protocol) => [protocol.id, protocol]))
