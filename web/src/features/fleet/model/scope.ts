/** An electrician's scopes, in ascending order. */
export const SCOPES = ['monitor', 'configure', 'service'] as const
export type Scope = (typeof SCOPES)[number]

/** Unknown scopes of a newer server count as the lowest. */
export const scopeOf = (access: string): Scope => SCOPES.find((scope) => scope === access) ?? 'monitor'

/** @returns whether a scope includes another one */
export const includes = (access: string, wanted: Scope) =>
  SCOPES.indexOf(scopeOf(access)) >= SCOPES.indexOf(wanted)
