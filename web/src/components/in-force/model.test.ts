import { describe, expect, it } from 'vitest'
import { type InForce, inForceOf, restrictionsOf } from './model'

const NOW = 1_000_000
const one = (special: Partial<InForce> & { kind: string }): InForce => ({
  since: NOW - 60_000,
  until: null,
  by: 'you',
  end: null,
  ...special,
})

describe('what is in force', () => {
  it('ends at its time, without a message from the battery', () => {
    const entry = {
      in_force: [
        one({ kind: 'pause', until: NOW }),
        one({ kind: 'plan', until: NOW + 1 }),
        one({ kind: 'charge' }),
      ],
    }
    expect(inForceOf(entry, NOW).map(({ kind }) => kind)).toEqual(['charge', 'plan'])
  })

  it('begins with what needs the person first', () => {
    const list = [
      one({ kind: 'reserve', sn: 'A' }),
      one({ kind: 'plan' }),
      one({ kind: 'something_new' }),
      one({ kind: 'calibration' }),
      one({ kind: 'charge' }),
      one({ kind: 'pause', sn: 'B' }),
      one({ kind: 'pause', sn: 'A' }),
      one({ kind: 'brake' }),
      one({ kind: 'grid_limit' }),
      one({ kind: 'update', state: 'running' }),
      one({ kind: 'update', state: 'waiting', switch: 'off' }),
    ]
    expect(inForceOf({ in_force: list }, NOW).map(({ kind, sn, state }) => sn ?? state ?? kind)).toEqual([
      'waiting',
      'running',
      'grid_limit',
      'brake',
      'B',
      'A',
      'charge',
      'calibration',
      'something_new',
      'plan',
      'A',
    ])
  })

  it('is empty for an entry that an older version has cached', () => {
    expect(inForceOf({}, NOW)).toEqual([])
    expect(inForceOf(undefined, NOW)).toEqual([])
  })

  it('restricts the battery, or does not', () => {
    const kinds = ['update', 'brake', 'grid_limit', 'pause', 'charge', 'calibration', 'plan', 'reserve']
    const held = restrictionsOf(kinds.map((kind) => one({ kind }))).map(({ kind }) => kind)
    expect(held).toEqual(['update', 'grid_limit', 'pause'])
  })
})
