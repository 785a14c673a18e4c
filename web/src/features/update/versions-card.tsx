import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Answer } from '@/components/ui/answer'
import { Card } from '@/components/ui/card'
import { pageCount, pageOf } from '@/components/ui/pages'
import { Pagination } from '@/components/ui/pagination'
import { Skeleton } from '@/components/ui/skeleton'
import { PAGE_SIZE } from '@/lib/constants'
import { type System, systemsQuery } from '@/lib/data/systems'
import { formatVersion } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'

/** The current versions of every system. */
export function VersionsCard() {
  const { t } = useT()
  const query = useQuery(systemsQuery)
  const [page, setPage] = useState(1)
  const systems = query.data?.filter(({ sn }) => sn !== ALL_SYSTEMS) ?? []
  const shown = pageOf(systems, page, PAGE_SIZE)
  return (
    <Card title={t('update.versions')}>
      <Answer query={query} failed={t('systems.failed')} waiting={<Skeleton className="h-24" />}>
        {() => <VersionTable systems={shown.items} />}
      </Answer>
      <Pagination
        label={t('update.versions')}
        page={shown.current}
        count={pageCount(systems.length, PAGE_SIZE)}
        onChange={setPage}
      />
    </Card>
  )
}

const head = 'pb-2 pr-2 wrap-anywhere text-left text-sm font-medium text-muted'

function VersionTable({ systems }: { systems: readonly System[] }) {
  const { t } = useT()
  return (
    <table className="num w-full text-md">
      <thead>
        <tr className="border-b border-line">
          <th scope="col" className={head}>
            {t('update.column.sn')}
          </th>
          <th scope="col" className={head}>
            {t('update.part.master')}
          </th>
          <th scope="col" className={head}>
            {t('update.part.gateway')}
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {systems.map(({ sn, master_version, gateway_version }) => (
          <tr key={sn}>
            <th scope="row" className="py-2.5 pr-3 text-left font-medium wrap-anywhere">
              {sn}
            </th>
            <td className="py-2.5 pr-3">{formatVersion(master_version)}</td>
            <td className="py-2.5">{formatVersion(gateway_version)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
