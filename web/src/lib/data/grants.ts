/** Queries and types for access. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import type { components } from '../api/schema'

type Schemas = components['schemas']

/** A grant as the system's owner sees it. */
export type GivenGrant = Schemas['GivenEntry']
/** A grant as its holder, invitee or requester sees it. */
export type HeldGrant = Schemas['HeldEntry']
export type Handover = Schemas['HandoverEntry']
export type Grants = Schemas['Grants']
/** An electrician, as the owner sees them. */
export type Installer = Schemas['InstallerEntry']

export type GrantState = GivenGrant['state']
export type GrantOrigin = GivenGrant['origin']
export type Scope = GivenGrant['scope']
/** Scopes of household members. */
export type MemberScope = Extract<Scope, 'look' | 'owner'>
/** Scopes of electricians, in ascending order. */
export type InstallerScope = Exclude<Scope, MemberScope>
/** The caller's access level for a system. */
export type Access = 'owner' | 'member' | 'look' | InstallerScope

/** Given, held and pending grants in one answer for all access screens. */
export const grantsQuery = queryOptions({
  queryKey: ['grants'],
  queryFn: () => unwrap(api.GET('/api/auth/grant/')),
})

/** Only grants that need the reader's decision: a small answer that can be polled. */
export const pendingGrantsQuery = queryOptions({
  queryKey: [...grantsQuery.queryKey, 'pending'],
  queryFn: () => unwrap(api.GET('/api/auth/grant/', { params: { query: { pending: true } } })),
  staleTime: 30_000,
  refetchInterval: 60_000,
})

/** The number of invitations, requests and unconfirmed grants that need the reader's decision. */
export const pendingCount = (pending: Pick<Grants, 'given' | 'held'> | undefined) =>
  pending ? pending.given.length + pending.held.length : 0
