import { useMutation } from '@tanstack/react-query'
import { Download, Image } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { errorText } from '@/lib/api/errors'
import { cn } from '@/lib/cn'
import type { GraphRequest } from '@/lib/data/charts'
import { useT } from '@/lib/i18n/use-t'
import { loadChunk } from '@/lib/load-chunk'
import { notify } from '@/lib/notify'
import type { PlotGroup } from '../plot/group'

/** Loaded on the first click: few visitors export a chart. */
const files = () => loadChunk(() => import('../files'))

type Props = {
  /** One per system. */
  requests: readonly GraphRequest[]
  nameOf: (sn: string) => string
  title: string
  group: PlotGroup
  /** A table cannot be exported as a picture. */
  table: boolean
  className?: string
}

/** Exports the chart as CSV or as a picture. */
export function ChartFiles({ requests, nameOf, title, group, table, className }: Props) {
  const { t, locale } = useT()
  const onError = (error: Error) => notify.error(t('chart.file_failed'), { description: errorText(error, t) })
  const series = requests[0]?.series ?? []
  const csv = useMutation({
    mutationFn: async () => (await files()).saveTable(requests, nameOf, t('chart.system'), locale),
    onError,
  })
  const picture = useMutation({
    mutationFn: async () => (await files()).savePicture(requests, group, title, t),
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
