import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { Button } from '@/components/ui/button'
import { PagePart } from '@/components/ui/page-part'
import { type Account, accountQuery } from '@/lib/api/queries'
import { openTexts } from '@/lib/i18n/i18n'
import { lazyPart } from '@/lib/lazy-part'
import type { Wish } from './ask'

const AskDialog = lazyPart(async () => {
  const [{ AskDialog }] = await Promise.all([import('./ask-dialog'), openTexts('settings')])
  return AskDialog
})

type Props = Omit<ComponentProps<typeof Button>, 'onClick'> & {
  wishes: readonly Wish[]
  /** What ends soon or has ended is asked for again. */
  renewal?: boolean
}

/** Technicians do not ask, and the office would get no service: its role has none. */
function mayAsk(role: Account['company_role'] | undefined, wishes: readonly Wish[], renewal: boolean) {
  if (role === 'office') return renewal || wishes.some(({ scope }) => scope !== 'service')
  return role === 'owner'
}

/** Asks the owners of systems for access, with a few words of one's own; the dialog comes when it is wanted. */
export function AskAccess({ wishes, renewal = false, ...button }: Props) {
  // A number for each time it was opened, so that nothing of the last time is in it; and what was meant then.
  const [dialog, setDialog] = useState({ number: 0, open: false, wishes })
  const { data: account } = useQuery(accountQuery)
  if (!mayAsk(account?.company_role, wishes, renewal)) return null
  return (
    <>
      <Button
        {...button}
        onClick={() => setDialog(({ number }) => ({ number: number + 1, open: true, wishes }))}
      />
      {dialog.number > 0 && (
        <PagePart>
          <AskDialog
            key={dialog.number}
            open={dialog.open}
            wishes={dialog.wishes}
            renewal={renewal}
            onClose={() => setDialog((before) => ({ ...before, open: false }))}
          />
        </PagePart>
      )}
    </>
  )
}
