import { use } from 'react'
import { Callout } from '@/components/ui/callout'
import { PagePart } from '@/components/ui/page-part'
import { openTexts } from '@/lib/i18n/i18n'
import { useT } from '@/lib/i18n/use-t'
import { loadChunk } from '@/lib/load-chunk'

type Props = {
  /** Of which systems, where there are others that they may change. */
  serials?: readonly string[]
}

/** Few people ever see it: its words come when it is needed. */
let words: Promise<void> | null = null

/** Why there is nothing to change here for a member of the household who only looks. */
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
