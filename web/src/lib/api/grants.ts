/** Who may do what with which system. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import type { components } from './schema'

type Schemas = components['schemas']

/** As the owner of the system sees it. */
export type GivenGrant = Schemas['GivenEntry']
/** As whoever holds it, was invited or asked sees it. */
export type HeldGrant = Schemas['HeldEntry']
export type Handover = Schemas['HandoverEntry']
export type Grants = Schemas['Grants']
/** The electrician whom an owner can call. */
export type Installer = Schemas['InstallerEntry']

export type GrantState = GivenGrant['state']
export type GrantOrigin = GivenGrant['origin']
export type Scope = GivenGrant['scope']
/** What somebody of the household may. */
export type MemberScope = Extract<Scope, 'look' | 'owner'>
/** What an electrician may, from little to much. */
export type InstallerScope = Exclude<Scope, MemberScope>
/** What the caller may do with a system. */
export type Access = 'owner' | 'member' | 'look' | InstallerScope

/** Given, held and waiting: every screen about access reads this one answer. */
export const grantsQuery = queryOptions({
  queryKey: ['grants'],
  queryFn: () => unwrap(api.GET('/api/auth/grant/')),
})

/** Only what waits for the reader's decision, so that it can be asked everywhere and often. */
export const pendingGrantsQuery = queryOptions({
  queryKey: [...grantsQuery.queryKey, 'pending'],
  queryFn: () => unwrap(api.GET('/api/auth/grant/', { params: { query: { pending: true } } })),
  staleTime: 30_000,
  refetchInterval: 60_000,
})

/** How many invitations, requests and unconfirmed accesses wait for the reader. */
export const pendingCount = (pending: Pick<Grants, 'given' | 'held'> | undefined) =>
  pending ? pending.given.length + pending.held.length : 0
