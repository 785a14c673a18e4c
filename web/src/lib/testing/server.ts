import { setupServer } from 'msw/node'

/** The network of the tests: a call without a handler fails. */
export const server = setupServer()
