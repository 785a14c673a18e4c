import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'

/** Nothing waits for a decision: every page asks. */
const noGrants = http.get('*/api/auth/grant/', () =>
  HttpResponse.json({ given: [], held: [], handovers: [] }),
)

/** An electrician leads the company. */
const account = http.get('*/api/auth/account/', () =>
  HttpResponse.json({ email: 'jemand@example.com', company_role: 'owner' }),
)

/** The network of the tests: any other call without a handler fails. */
export const server = setupServer(noGrants, account)
