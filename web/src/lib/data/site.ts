/** A system's site and solar modules. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import type { components } from '../api/schema'
import { invalidate } from '../query-client'
import { systemsQuery } from './systems'

type Schemas = components['schemas']
export type Site = Schemas['SiteEntry']
export type Plane = Schemas['PlaneEntry']
export type SiteChange = Schemas['DescribeSystem']

export const siteQuery = (sn: string) =>
  queryOptions({
    queryKey: ['site', sn],
    queryFn: () => unwrap(api.GET('/api/auth/system/{sn}/', { params: { path: { sn } } })),
  })

const change = (sn: string, body: SiteChange) =>
  unwrap(api.PATCH('/api/auth/system/{sn}/', { params: { path: { sn } }, body }))

/** @param others systems of the household that get the same place */
export async function saveSite(sn: string, body: SiteChange, others: readonly string[], place: SiteChange) {
  await change(sn, body)
  await Promise.all(others.map((other) => change(other, place)))
  void invalidate(systemsQuery, ...others.map(siteQuery))
}
