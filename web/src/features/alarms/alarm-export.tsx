import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { errorText } from '@/lib/api/errors'
import { saveFile } from '@/lib/download'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { alarmFile } from './data'

/** Exports all alarms as a file. */
export function AlarmExport({ sn }: { sn: string }) {
  const { t } = useT()
  const download = useMutation({
    mutationFn: async () => saveFile(await alarmFile(sn), 'suncellar_alarms.csv'),
    onError: (error) => notify.error(t('chart.file_failed'), { description: errorText(error, t) }),
  })
  return (
    <Button
      variant="outline"
      size="s"
      className="justify-self-start"
      busy={download.isPending}
      onClick={() => download.mutate()}
    >
      <Download aria-hidden className="size-4" />
      {t('alarms.export')}
    </Button>
  )
}
