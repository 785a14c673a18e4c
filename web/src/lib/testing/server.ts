import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'

/** No pending decisions; every page requests them. */
const noGrants = http.get('*/api/auth/grant/', () =>
  HttpResponse.json({ given: [], held: [], handovers: [] }),
)

/** The account: an electrician who owns the company. */
const account = http.get('*/api/auth/account/', () =>
  HttpResponse.json({ email: 'jemand@example.com', company_role: 'owner' }),
)

/** The server of the tests: calls without a handler fail. */
export const server = setupServer(noGrants, account)
