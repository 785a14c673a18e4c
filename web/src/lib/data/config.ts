/** Links and switches of this installation. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'

/** Constant while the server runs. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: () => unwrap(api.GET('/config.json')),
  staleTime: Number.POSITIVE_INFINITY,
})
