/** The most likely next action for an electrician at a system. */
import { updateIn } from '@/components/in-force/model'
import type { System } from '@/lib/data/systems'
import type { Row } from './row'
import { includes } from './scope'

export type Primary =
  | 'start_commissioning'
  | 'continue_commissioning'
  | 'alarm'
  | 'switch'
  | 'update'
  | 'settings'
  | 'ask'

type Facts = Pick<Row, 'alarms' | 'inForce' | 'updatable' | 'updating' | 'status'>

/** Priority: commissioning, alarms, pending tasks, settings. */
export function primaryOf({ access, commissioning, household }: System, row: Facts | undefined): Primary {
  const service = includes(access, 'service')
  if (service && commissioning === 'in_progress') return 'continue_commissioning'
  // The system has neither an owner nor a commissioning.
  if (service && !commissioning && household == null) return 'start_commissioning'
  if (row?.alarms.some(({ acknowledged }) => !acknowledged)) return 'alarm'
  if (row && updateIn(row.inForce)?.switch != null) return 'switch'
  if (service && row?.updatable && !row.updating && row.status !== 'offline') return 'update'
  return includes(access, 'configure') ? 'settings' : 'ask'
}
