import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { type Protocol, savePdf } from '../data'

type Props = {
  protocol: Pick<Protocol, 'id' | 'number'>
  /** On a last page, for the customer. */
  code?: string
}

/** Hands the protocol over as a file to print and sign. */
export function PdfButton({ protocol, code }: Props) {
  const { t, locale } = useT()
  const save = useMutation({
    mutationFn: () => savePdf(protocol, code),
    onError: (error) => notify.error(refusalText(error, t, locale)),
  })
  return (
    <Button
      variant="outline"
      busy={save.isPending}
      aria-label={code ? undefined : t('protocol.pdf', { number: protocol.number })}
      onClick={() => save.mutate()}
    >
      <Download aria-hidden className="size-4" />
      {code ? t('protocol.code.pdf') : 'PDF'}
    </Button>
  )
}
