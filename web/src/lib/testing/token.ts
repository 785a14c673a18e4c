/** A token that says whose it is, as those of the server do. */
export const tokenOf = (account: string) => `header.${btoa(JSON.stringify({ sub: account }))}.signature`
