/** What the pages before the login ask the server: mailed links, and the app of a partner. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import { CLAIM_POLL } from '@/lib/constants'
import { once } from '@/lib/once-query'

export const partnerClientQuery = (client_id: string, redirect_uri: string) =>
  queryOptions({
    queryKey: ['partner-client', client_id, redirect_uri],
    queryFn: () =>
      unwrap(api.GET('/api/partner/client/', { params: { query: { client_id, redirect_uri } } })),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Confirms a registration, which works once. */
export const registrationConfirmationQuery = (token: string) =>
  queryOptions({
    ...once,
    queryKey: ['registration-confirmation', token],
    queryFn: () => unwrap(api.POST('/api/auth/register/confirm/', { body: { token } })),
  })

/** The keys of a registration, polled only while the page is visible and a key is waiting. */
export const newClaimsQuery = (watch: string | null) =>
  queryOptions({
    queryKey: ['new-claims', watch],
    queryFn: () => unwrap(api.POST('/api/auth/register/claims/', { body: { watch: watch ?? '' } })),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'waiting') ? CLAIM_POLL : false,
  })

export const openedInvitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['company-invitation', token],
    queryFn: () => unwrap(api.POST('/api/auth/company/invitation/open/', { body: { token } })),
    retry: false,
  })
