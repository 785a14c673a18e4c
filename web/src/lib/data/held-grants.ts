/** Groups the pending grants of an electrician. */
import type { Grants, HeldGrant } from './grants'

export const invitationsIn = ({ held }: Pick<Grants, 'held'>) =>
  held.filter(({ state }) => state === 'invited')

/** Among the pending grants: access that ends soon or has ended and was not requested again. */
export const endingIn = ({ held }: Pick<Grants, 'held'>) => held.filter(({ state }) => state !== 'invited')

/** The number of different owners. */
export const householdsIn = (held: readonly HeldGrant[]) =>
  new Set(held.map(({ household, id }) => household ?? id)).size
