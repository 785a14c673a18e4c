import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { api, unwrap } from '@/lib/api/client'
import { saveFile } from '@/lib/download'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'

const FORMATS = ['json', 'csv'] as const
type Format = (typeof FORMATS)[number]

/** Downloads everything that is stored about the person. */
export function ExportButtons() {
  const { t, locale } = useT()
  const download = useMutation({ mutationFn: downloadExport })
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-3">
        {FORMATS.map((format) => (
          <Button
            key={format}
            variant="outline"
            busy={download.isPending && download.variables === format}
            onClick={() => download.mutate(format)}
          >
            <Download aria-hidden className="size-4" />
            {t(`account.export.${format}`)}
          </Button>
        ))}
      </div>
      {download.error && <Callout tone="danger">{refusalText(download.error, t, locale)}</Callout>}
    </div>
  )
}

async function downloadExport(format: Format) {
  const file = await unwrap(
    api.GET('/api/auth/account/export/', { params: { query: { format } }, parseAs: 'blob' }),
  )
  saveFile(file as Blob, `suncellar.${format}`)
}
