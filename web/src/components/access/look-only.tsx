import { Callout } from '@/components/ui/callout'
import { useT } from '@/lib/i18n/use-t'

type Props = {
  /** The systems with look-only access, where others may be changed. */
  serials?: readonly string[]
}

/** Explains to a member with look-only access why nothing can be changed here. */
export function LookOnly({ serials = [] }: Props) {
  const { t } = useT()
  return (
    <Callout title={t('look.title')}>
      {serials.length > 0 && <p className="num">{serials.join(', ')}</p>}
      <p>{t('look.text')}</p>
    </Callout>
  )
}
