import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { api, unwrap } from '@/lib/api/client'
import { errorText } from '@/lib/api/errors'
import { saveFile } from '@/lib/download'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'

/** Every unit with model, protocol and exchange as a file, for warranty and stock; whatever the table shows. */
export function UnitFile() {
  const { t } = useT()
  const save = useMutation({
    mutationFn: async () => {
      const query = { format: 'csv' }
      const file = await unwrap(api.GET('/api/auth/unit/', { params: { query }, parseAs: 'blob' }))
      saveFile(file as unknown as Blob, 'suncellar_units.csv')
    },
    onError: (error) => notify.error(t('chart.file_failed'), { description: errorText(error, t) }),
  })
  return (
    <Button
      variant="outline"
      size="s"
      className="min-h-10"
      busy={save.isPending}
      onClick={() => save.mutate()}
    >
      <Download aria-hidden className="size-4" />
      {t('fleet.units')}
    </Button>
  )
}
