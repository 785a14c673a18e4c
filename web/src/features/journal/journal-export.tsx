import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { api, unwrap } from '@/lib/api/client'
import { errorText } from '@/lib/api/errors'
import { saveFile } from '@/lib/download'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import type { JournalFilter } from './model'

/** Exports all entries of the filter as a file. */
export function JournalExport({ filter }: { filter: JournalFilter }) {
  const { t } = useT()
  const download = useMutation({
    mutationFn: async () => {
      const { page: _, ...query } = filter
      const params = { query: { ...query, format: 'csv' } }
      const file = await unwrap(api.GET('/api/auth/journal/', { params, parseAs: 'blob' }))
      saveFile(file as Blob, 'suncellar_journal.csv')
    },
    onError: (error) => notify.error(t('chart.file_failed'), { description: errorText(error, t) }),
  })
  return (
    <Button variant="outline" size="s" busy={download.isPending} onClick={() => download.mutate()}>
      <Download aria-hidden className="size-4" />
      {t('journal.export')}
    </Button>
  )
}
