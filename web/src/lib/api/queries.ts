/** Queries that several features share. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import type { Installer } from './grants'
import type { components } from './schema'

type Schemas = components['schemas']
export type Account = Schemas['AccountEntry']
export type Claim = Schemas['ClaimEntry']
export type Group = Schemas['GroupEntry']
export type KeyResult = Schemas['KeyResult']
/** `installer` is only present if the caller may know it. */
export type System = Schemas['SystemEntry'] & { installer?: Installer | null }

/** Links and switches of this installation; constant while the server runs. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: () => unwrap(api.GET('/config.json')),
  staleTime: Number.POSITIVE_INFINITY,
})

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: () => unwrap(api.GET('/api/auth/account/')),
})

export const systemsQuery = queryOptions({
  queryKey: ['systems'],
  queryFn: (): Promise<System[]> => unwrap(api.GET('/api/auth/usr_sn/')),
})

/** The account's own groups, by name. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: () => unwrap(api.GET('/api/auth/group/')),
})

/** Open claims. */
export const claimsQuery = queryOptions({
  queryKey: ['claims'],
  queryFn: () => unwrap(api.GET('/api/auth/usr_sn/claims/')),
})

/** The mutation key of a replacement. */
export const REPLACEMENT = ['replacement']
