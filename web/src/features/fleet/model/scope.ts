/** What an electrician may do with a system, from little to much. */
export const SCOPES = ['monitor', 'configure', 'service'] as const
export type Scope = (typeof SCOPES)[number]

/** A word of a newer server that this browser does not know is taken for the least. */
export const scopeOf = (access: string): Scope => SCOPES.find((scope) => scope === access) ?? 'monitor'

/** @returns whether a scope includes another one */
export const includes = (access: string, wanted: Scope) =>
  SCOPES.indexOf(scopeOf(access)) >= SCOPES.indexOf(wanted)
