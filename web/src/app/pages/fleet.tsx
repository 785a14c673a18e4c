import { PagePart } from '@/components/ui/page-part'
import { FleetPage } from '@/features/fleet/fleet-page'
import type { Row } from '@/features/fleet/model/row'
import { includes } from '@/features/fleet/model/scope'
import type { Candidate } from '@/features/update/batch/model'
import { lazyPart } from '@/lib/lazy-part'

const FirmwareBatch = lazyPart(
  async () => (await import('@/features/update/batch/firmware-batch')).FirmwareBatch,
)

const candidateOf = ({ sn, customer, system, status, updatable, updating }: Row): Candidate => ({
  sn,
  customer,
  household: system.household ?? null,
  service: includes(system.access, 'service'),
  online: status !== 'offline',
  updatable,
  updating,
})

export const Fleet = () => (
  <FleetPage
    firmware={(rows, open, onClose) => (
      <PagePart>
        <FirmwareBatch candidates={rows.map(candidateOf)} open={open} onClose={onClose} />
      </PagePart>
    )}
  />
)
