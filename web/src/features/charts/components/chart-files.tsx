import { useMutation } from '@tanstack/react-query'
import { Download, Image } from 'lucide-react'
import type { RefObject } from 'react'
import { Button } from '@/components/ui/button'
import { type GraphRequest, graphParams } from '@/lib/api/chart-queries'
import { api, unwrap } from '@/lib/api/client'
import { errorText } from '@/lib/api/errors'
import { cn } from '@/lib/cn'
import { saveFile } from '@/lib/download'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import type { PlotHandle } from '../plot/plot'

type Props = { request: GraphRequest; title: string; plot: RefObject<PlotHandle | null>; className?: string }

/** The chart to take away: its numbers as CSV, or a picture of it. */
export function ChartFiles({ request, title, plot, className }: Props) {
  const { t } = useT()
  const onError = (error: Error) => notify.error(t('chart.file_failed'), { description: errorText(error, t) })
  const csv = useMutation({ mutationFn: () => saveCsv(request), onError })
  const picture = useMutation({ mutationFn: () => savePicture(plot.current, title, request), onError })
  const none = request.series.length === 0
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
        disabled={none}
        onClick={() => picture.mutate()}
      >
        <Image aria-hidden className="size-4" />
        PNG
      </Button>
    </div>
  )
}

const fileName = ({ sn, date, interval }: GraphRequest, ending: string) =>
  `suncellar_${sn === '-1' ? 'all' : sn}_${interval.toLowerCase()}_${date}.${ending}`

async function saveCsv(request: GraphRequest) {
  const query = { ...graphParams(request), format: 'csv' }
  const file = await unwrap(api.GET('/api/auth/graph/', { params: { query }, parseAs: 'blob' }))
  saveFile(file as Blob, fileName(request, 'csv'))
}

async function savePicture(plot: PlotHandle | null, title: string, request: GraphRequest) {
  const file = await plot?.picture(title)
  if (file) saveFile(file, fileName(request, 'png'))
}
