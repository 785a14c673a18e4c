import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { Button } from '@/components/ui/button'
import { PagePart } from '@/components/ui/page-part'
import { type Account, accountQuery } from '@/lib/data/account'
import { lazyPart } from '@/lib/lazy-part'
import type { AccessRequest } from './data'

const AskDialog = lazyPart(async () => (await import('./ask-dialog')).AskDialog)

type Props = Omit<ComponentProps<typeof Button>, 'onClick'> & {
  requests: readonly AccessRequest[]
  /** A request for access that ends soon or has ended. */
  renewal?: boolean
}

/** Technicians may not ask. Office members may not ask for service. */
function mayAsk(
  role: Account['company_role'] | undefined,
  requests: readonly AccessRequest[],
  renewal: boolean,
) {
  if (role === 'office') return renewal || requests.some(({ scope }) => scope !== 'service')
  return role === 'owner'
}

/** The button that asks owners for access; its dialog is loaded on the first click. */
export function AskAccess({ requests, renewal = false, ...button }: Props) {
  // `number` counts the openings and resets the form each time. `requests` are those of the last click.
  const [dialog, setDialog] = useState({ number: 0, open: false, requests })
  const { data: account } = useQuery(accountQuery)
  if (!mayAsk(account?.company_role, requests, renewal)) return null
  return (
    <>
      <Button
        {...button}
        onClick={() => setDialog(({ number }) => ({ number: number + 1, open: true, requests }))}
      />
      {dialog.number > 0 && (
        <PagePart>
          <AskDialog
            key={dialog.number}
            open={dialog.open}
            requests={dialog.requests}
            renewal={renewal}
            onClose={() => setDialog((before) => ({ ...before, open: false }))}
          />
        </PagePart>
      )}
    </>
  )
}
