import { describe, expect, it } from 'vitest'
import type { InForce } from '@/components/in-force/model'
import { fleetOf } from '../testing'
import { primaryOf } from './primary'
import type { Alarm } from './row'

const { systems } = fleetOf([{ sn: 'SC24A0001', household: 0, commissioning: 'finished' }], 0)
const [system] = systems as [(typeof systems)[number]]
const calm = { alarms: [], inForce: [], updatable: false, updating: false, status: 'fine' } as const
const alarm = { acknowledged: false } as Alarm
const update = { kind: 'update', state: 'running', switch: null } as InForce

describe('the primary action of a system', () => {
  it.each([
    [{ commissioning: 'in_progress' }, { alarms: [alarm] }, 'continue_commissioning'],
    [{ commissioning: undefined, household: undefined }, { alarms: [alarm] }, 'start_commissioning'],
    // An owned system needs no commissioning here.
    [{ commissioning: undefined }, {}, 'settings'],
    [{}, { alarms: [alarm], updatable: true }, 'alarm'],
    [{}, { alarms: [{ ...alarm, acknowledged: true }] }, 'settings'],
    [{}, { inForce: [{ ...update, switch: 'off' }], updating: true, updatable: true }, 'switch'],
    [{}, { inForce: [update], updating: true, updatable: true }, 'settings'],
    [{}, { updatable: true }, 'update'],
    [{}, { updatable: true, status: 'offline' }, 'settings'],
    [{ access: 'configure' }, { updatable: true }, 'settings'],
    [{ access: 'monitor' }, {}, 'ask'],
  ] as const)('of %j with %j is %s', (special, row, want) => {
    expect(primaryOf({ ...system, ...special } as typeof system, { ...calm, ...row })).toBe(want)
  })
})
