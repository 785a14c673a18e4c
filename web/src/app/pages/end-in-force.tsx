import { Suspense } from 'react'
import type { InForce } from '@/components/in-force/model'
import { lazyPart } from '@/lib/lazy-part'

const EndCommand = lazyPart(async () => (await import('@/features/commands/end-command')).EndCommand)
const WithdrawUpdate = lazyPart(
  async () => (await import('@/features/update/withdraw-update')).WithdrawUpdate,
)

/** The button that ends an effect. The server says which command ends it, and whether the reader may. */
export function EndInForce({ one, sn }: { one: InForce; sn: string }) {
  const at = one.sn ?? sn
  return (
    <Suspense>
      {one.end === 'withdraw' && <WithdrawUpdate sn={at} />}
      {one.end === 'auto' && <EndCommand sn={at} what={one.kind === 'charge' ? 'charge' : 'pause'} />}
    </Suspense>
  )
}
