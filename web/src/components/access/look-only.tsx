import { use } from 'react'
import { Callout } from '@/components/ui/callout'
import { PagePart } from '@/components/ui/page-part'
import { openTexts } from '@/lib/i18n/i18n'
import { useT } from '@/lib/i18n/use-t'
import { loadChunk } from '@/lib/load-chunk'

type Props = {
  /** The systems with look-only access, where others may be changed. */
  serials?: readonly string[]
}

/** Loaded on demand: few people have look-only access. */
let words: Promise<void> | null = null

/** Explains to a member with look-only access why nothing can be changed here. */
export const LookOnly = (props: Props) => (
  <PagePart>
    <Notice {...props} />
  </PagePart>
)

function Notice({ serials = [] }: Props) {
  const { t } = useT()
  words ??= loadChunk(() => openTexts('settings'))
  use(words)
  return (
    <Callout title={t('look.title')}>
      {serials.length > 0 && <p className="num">{serials.join(', ')}</p>}
      <p>{t('look.text')}</p>
    </Callout>
  )
}
