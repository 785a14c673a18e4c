import { Suspense, use } from 'react'
import { Callout } from '@/components/ui/callout'
import { openTexts } from '@/lib/i18n/i18n'
import { useT } from '@/lib/i18n/use-t'

type Props = {
  /** Of which systems, where there are others that they may change. */
  serials?: readonly string[]
}

/** Few people ever see it: its words come when it is needed. */
let words: Promise<void> | null = null

/** Why there is nothing to change here for a member of the household who only looks. */
export const LookOnly = (props: Props) => (
  <Suspense>
    <Notice {...props} />
  </Suspense>
)

function Notice({ serials = [] }: Props) {
  const { t } = useT()
  words ??= openTexts('settings')
  use(words)
  return (
    <Callout title={t('look.title')}>
      {serials.length > 0 && <p className="num">{serials.join(', ')}</p>}
      <p>{t('look.text')}</p>
    </Callout>
  )
}
