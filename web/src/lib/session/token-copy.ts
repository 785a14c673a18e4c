/** The second copy of the tokens, in IndexedDB: a service worker can read it, local storage it cannot. */
import { Database } from '../database'
import { DATABASE } from '../storage-keys'
import type { Tokens } from './tokens'

const database = new Database<Tokens>(DATABASE, 'tokens')

export const copyTokens = (tokens: Tokens) => database.change((store) => store.put(tokens, 'current'))

export const clearTokenCopy = () => database.change((store) => store.clear())
