/** Requests for setting batches (dry run, save, undo) and for their templates. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import type { components } from '@/lib/api/schema'
import { allSettings, readSettings } from '@/lib/data/settings'
import { invalidate } from '@/lib/query-client'
import type { SystemSettings } from '../model/fields'

type Schemas = components['schemas']
export type BatchOutcome = Schemas['BatchOutcome']
export type SystemOutcome = Schemas['SystemOutcome']
export type Batch = Schemas['BatchEntry']
export type Template = Schemas['TemplateEntry']
export type FieldChange = Schemas['FieldChange']

type BatchChange = { fields: Record<string, string>; acknowledged: boolean }

const bodyOf = ({ fields, acknowledged }: BatchChange) => ({
  ...fields,
  ...(acknowledged ? { acknowledge_14a: 'true' } : {}),
})

/** A batch may have changed some systems even if its answer was lost. */
const changed = () => void invalidate(batchesQuery, allSettings)

/** A dry run. */
export const tryBatch = (serials: readonly string[], batch: BatchChange) =>
  unwrap(
    api.POST('/api/auth/settings/batch/', {
      params: { query: { sn: serials.join() } },
      body: { ...bodyOf(batch), dry_run: 'true' },
    }),
  )

/** Sends the versions of the dry run, so that newer changes are not overwritten. */
export const applyBatch = ({ systems }: BatchOutcome, batch: BatchChange) =>
  unwrap(
    api.POST('/api/auth/settings/batch/', {
      params: { query: { sn: systems.map(({ sn }) => sn).join() } },
      body: { ...bodyOf(batch), version: systems.map(({ version }) => version).join() },
    }),
  ).finally(changed)

const undo = (id: string, dry_run: boolean) =>
  unwrap(api.POST('/api/auth/settings/batch/{id}/undo/', { params: { path: { id } }, body: { dry_run } }))

export const undoBatch = (id: string) => undo(id, false).finally(changed)

/** A dry run of the undo. */
export const undoTrialQuery = (id: string) =>
  queryOptions({
    queryKey: ['batch-undo', id],
    queryFn: () => undo(id, true),
    staleTime: 0,
    gcTime: 0,
  })

export const batchesQuery = queryOptions({
  queryKey: ['batches'],
  queryFn: () => unwrap(api.GET('/api/auth/settings/batch/')),
})

export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: () => unwrap(api.GET('/api/auth/settings/template/')),
})

export async function createTemplate(name: string, fields: Record<string, string>) {
  await unwrap(api.POST('/api/auth/settings/template/', { body: { ...fields, name } }))
  await invalidate(templatesQuery)
}

export async function renameTemplate(id: number, name: string) {
  await unwrap(api.PATCH('/api/auth/settings/template/{id}/', { params: { path: { id } }, body: { name } }))
  await invalidate(templatesQuery)
}

export async function deleteTemplate(id: number) {
  await unwrap(api.DELETE('/api/auth/settings/template/{id}/', { params: { path: { id } } }))
  await invalidate(templatesQuery)
}

/** The settings of the first systems: enough for ranges and common values. */
export const sampleQuery = (serials: readonly string[]) =>
  queryOptions({
    queryKey: [...allSettings.queryKey, 'sample', ...serials],
    enabled: serials.length > 0,
    queryFn: (): Promise<SystemSettings[]> => readSettings(serials.join()),
  })
