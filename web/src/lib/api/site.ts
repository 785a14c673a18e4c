/** A system's site and solar modules. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import type { components } from './schema'

type Schemas = components['schemas']
export type Site = Schemas['SiteEntry']
export type Plane = Schemas['PlaneEntry']
export type SiteChange = Schemas['DescribeSystem']

export const siteQuery = (sn: string) =>
  queryOptions({
    queryKey: ['site', sn],
    queryFn: () => unwrap(api.GET('/api/auth/system/{sn}/', { params: { path: { sn } } })),
  })

export const describeSystem = (sn: string, body: SiteChange) =>
  unwrap(api.PATCH('/api/auth/system/{sn}/', { params: { path: { sn } }, body }))
