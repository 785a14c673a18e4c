/** What an electrician was offered and holds. */
import type { Grants, HeldGrant } from './grants'

export const invitationsIn = ({ held }: Pick<Grants, 'held'>) =>
  held.filter(({ state }) => state === 'invited')

/** Of what waits: access that ends soon or has ended and was not asked for again. */
export const endingIn = ({ held }: Pick<Grants, 'held'>) => held.filter(({ state }) => state !== 'invited')

/** How many owners these are of. */
export const householdsIn = (held: readonly HeldGrant[]) =>
  new Set(held.map(({ household, id }) => household ?? id)).size
