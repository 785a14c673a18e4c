import { useMutation } from '@tanstack/react-query'
import { Download, Image } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { type GraphRequest, graphParams } from '@/lib/api/chart-queries'
import { api, unwrap } from '@/lib/api/client'
import { errorText } from '@/lib/api/errors'
import { cn } from '@/lib/cn'
import { saveFile } from '@/lib/download'
import type { Locale } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { loadChunk } from '@/lib/load-chunk'
import { notify } from '@/lib/notify'
import { joinTables } from '../model/csv'
import { seriesOf } from '../model/series'
import type { PlotGroup } from '../plot/group'

type Props = {
  /** One per system. */
  requests: readonly GraphRequest[]
  nameOf: (sn: string) => string
  title: string
  group: PlotGroup
  /** There is no picture of a table. */
  table: boolean
  className?: string
}

/** The chart to take away: its numbers as CSV, or a picture of it. */
export function ChartFiles({ requests, nameOf, title, group, table, className }: Props) {
  const { t, locale } = useT()
  const onError = (error: Error) => notify.error(t('chart.file_failed'), { description: errorText(error, t) })
  const series = requests[0]?.series ?? []
  const csv = useMutation({
    mutationFn: async () =>
      saveFile(await tableOf(requests, nameOf, t('chart.system'), locale), fileName(requests, 'csv')),
    onError,
  })
  const picture = useMutation({
    mutationFn: async () => {
      const { pictureOf } = await loadChunk(() => import('../plot/picture'))
      const file = await pictureOf(group, title, seriesOf(series), t)
      if (file) saveFile(file, fileName(requests, 'png'))
    },
    onError,
  })
  const none = series.length === 0
  return (
    <div className={cn('flex gap-1.5', className)}>
      <Button variant="outline" size="s" busy={csv.isPending} disabled={none} onClick={() => csv.mutate()}>
        <Download aria-hidden className="size-4" />
        CSV
      </Button>
      <Button
        variant="outline"
        size="s"
        busy={picture.isPending}
        disabled={none || table}
        onClick={() => picture.mutate()}
      >
        <Image aria-hidden className="size-4" />
        PNG
      </Button>
    </div>
  )
}

function fileName(requests: readonly GraphRequest[], ending: string) {
  const systems = requests.map(({ sn }) => (sn === ALL_SYSTEMS ? 'all' : sn)).join('-')
  const [first] = requests
  return `suncellar_${systems}_${first?.interval.toLowerCase()}_${first?.date}.${ending}`
}

/** As the server writes it; several systems in one table, with a column that names them. */
async function tableOf(
  requests: readonly GraphRequest[],
  nameOf: (sn: string) => string,
  heading: string,
  locale: Locale,
) {
  const tables = await Promise.all(requests.map(readTable))
  const [only] = tables
  if (only && tables.length === 1) return only
  const texts = await Promise.all(tables.map((table) => table.text()))
  const named = texts.map((table, place) => ({ name: nameOf(requests[place]?.sn ?? ''), table }))
  return new Blob([joinTables(named, heading, locale)], { type: 'text/csv;charset=utf-8' })
}

async function readTable(request: GraphRequest): Promise<Blob> {
  const query = { ...graphParams(request), format: 'csv' }
  return (await unwrap(api.GET('/api/auth/graph/', { params: { query }, parseAs: 'blob' }))) as Blob
}
