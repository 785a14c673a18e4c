/** A copy of the tokens in IndexedDB, which service workers can read, unlike local storage. */
import { Database } from '../database'
import { TOKEN_DATABASE } from '../storage-keys'

/** The shape of `Tokens`; an import from `tokens.ts` would be a cycle. */
type TokenCopy = { access: string; refresh: string; role: string }

const database = new Database<TokenCopy>(TOKEN_DATABASE, 'tokens')

export const copyTokens = (tokens: TokenCopy) => database.change((store) => store.put(tokens, 'current'))

export const clearTokenCopy = () => database.change((store) => store.clear())
