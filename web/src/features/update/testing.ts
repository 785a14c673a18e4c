import type { UpdateStatus } from './data'

/** A battery that is ready for a new gateway and a new master, with overrides. */
export const updateStatus = (special: Partial<UpdateStatus> = {}): UpdateStatus => ({
  new_update: true,
  update_started: false,
  page: 0,
  total_updates: 2,
  type: 'gateway',
  updates: [
    { type: 'gateway', version: '1.15', from_version: '1.14', new_update: true, notes: 'Stabileres WLAN.' },
    { type: 'master', version: '4.13', from_version: '4.12', new_update: true, notes: null },
  ],
  state: null,
  stage: null,
  switch: null,
  started_at: null,
  heard_at: null,
  error: null,
  checks: { reachable: true, soc: 54, soc_enough: true, needs_off: true, switched_off: true },
  ...special,
})

/** The same battery, installing its first part. */
export const runningStatus = (special: Partial<UpdateStatus> = {}) =>
  updateStatus({
    update_started: true,
    state: 'running',
    stage: 'downloading',
    page: 42,
    started_at: Date.now() - 10_000,
    heard_at: Date.now(),
    ...special,
  })

/** A battery without an update. */
export const idleStatus = (special: Partial<UpdateStatus> = {}) =>
  updateStatus({ new_update: false, total_updates: 0, type: null, updates: [], ...special })

/** The second part, after the first is done. */
export const secondPart = (special: Partial<UpdateStatus> = {}) => {
  const [gateway, master] = updateStatus().updates
  return runningStatus({
    total_updates: 1,
    type: 'master',
    page: 0,
    updates: [{ ...gateway, new_update: false }, master] as UpdateStatus['updates'],
    ...special,
  })
}
