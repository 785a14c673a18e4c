/** A token with an account, like those of the server. */
export const tokenOf = (account: string) => `header.${btoa(JSON.stringify({ sub: account }))}.signature`
