/** The people of an electrician's company, and what its owners do about them. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import type { components } from '@/lib/api/schema'
import { accountQuery } from '@/lib/data/account'
import { invalidate } from '@/lib/query-client'

type Schemas = components['schemas']
export type Company = Schemas['CompanyEntry']
export type Member = Schemas['CompanyMember']
export type Invitation = Schemas['CompanyInvitation']
export type CompanyRole = Member['role']

export const COMPANY_ROLES: readonly CompanyRole[] = ['owner', 'office', 'technician']

export const companyQuery = queryOptions({
  queryKey: ['company'],
  queryFn: () => unwrap(api.GET('/api/auth/company/')),
})

async function thenInvalidate<T>(request: Promise<T>): Promise<T> {
  const answer = await request
  // Who changes the own role may see something else from now on.
  await invalidate(accountQuery, companyQuery)
  return answer
}

export const inviteMember = (body: { email: string; role: CompanyRole; password: string }) =>
  thenInvalidate(unwrap(api.POST('/api/auth/company/invitation/', { body })))

export const withdrawInvitation = (id: number) =>
  thenInvalidate(unwrap(api.DELETE('/api/auth/company/invitation/{id}/', { params: { path: { id } } })))

export const setMemberRole = (id: number, body: { role: CompanyRole; password: string }) =>
  thenInvalidate(unwrap(api.PATCH('/api/auth/company/member/{id}/', { params: { path: { id } }, body })))

export const removeMember = (id: number, body: { password: string }) =>
  thenInvalidate(unwrap(api.DELETE('/api/auth/company/member/{id}/', { params: { path: { id } }, body })))
