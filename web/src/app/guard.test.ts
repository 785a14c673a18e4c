import { describe, expect, it } from 'vitest'
import { guard, type SessionInfo } from './guard'

const VISITORS = {
  guest: { authenticated: false, role: 'user', limited: false },
  'guest whose browser remembers an electrician': {
    authenticated: false,
    role: 'electrician',
    limited: false,
  },
  'owner without systems': { authenticated: false, role: 'user', limited: true },
  owner: { authenticated: true, role: 'user', limited: false },
  electrician: { authenticated: true, role: 'electrician', limited: false },
} satisfies Record<string, SessionInfo>

const home = '/dashboard'
const fleet = '/electrician-dashboard'
const login = '/login'

/** Path → target for each visitor of the list above; null stays. */
const TABLE: [string, (string | null)[]][] = [
  ['/', [login, login, login, login, login]],
  ['/login', [null, null, null, home, fleet]],
  ['/register', [null, null, null, home, fleet]],
  ['/login_cleverpv', [null, null, null, null, null]],
  ['/lock', [null, null, null, null, null]],
  ['/password_reset', [null, null, null, null, null]],
  ['/logout', [null, null, null, null, null]],
  ['/connect', [login, login, null, home, fleet]],
  ['/enrol', [login, login, login, home, null]],
  ['/dashboard', [login, login, login, null, fleet]],
  ['/electrician-dashboard', [login, login, login, home, null]],
  ['/electrician-dashboard/SC24A0001', [login, login, login, home, null]],
  ['/electrician-dashboard/SC24A0001/commissioning', [login, login, login, home, null]],
  ['/protocol/7', [login, login, login, null, null]],
  ['/settings', [login, login, login, null, '/electrician-settings']],
  ['/electrician-settings', [login, login, login, home, null]],
  ['/calendar', [login, login, login, null, null]],
  ['/charts', [login, login, login, null, null]],
  ['/alarms', [login, login, login, null, null]],
  ['/plan', [login, login, login, null, fleet]],
  ['/update', [home, fleet, home, null, null]],
  ['/no-such-page', [null, null, null, null, null]],
]

describe('the route guard', () => {
  for (const [path, row] of TABLE) {
    for (const [index, [name, visitor]] of Object.entries(VISITORS).entries()) {
      const expected = row[index] ?? null
      const title = expected ? `sends a ${name} from ${path} to ${expected}` : `lets a ${name} open ${path}`
      it(title, () => {
        expect(guard(path, visitor)).toBe(expected)
      })
    }
  }

  it('lets everybody open the mailed link that confirms a registration', () => {
    for (const visitor of Object.values(VISITORS)) {
      expect(guard('/register', visitor, 'confirm=abc')).toBeNull()
    }
    expect(guard('/register', VISITORS.owner, 'other=abc')).toBe(home)
  })

  it('takes a mailed key to the registration, or to the settings of a logged-in owner', () => {
    expect(guard('/register', VISITORS.guest, 'key=ABCDE')).toBeNull()
    expect(guard('/register', VISITORS['owner without systems'], 'key=ABCDE')).toBeNull()
    expect(guard('/register', VISITORS.owner, 'key=ABCDE')).toBe('/settings')
    expect(guard('/settings', VISITORS.owner, 'key=ABCDE')).toBeNull()
    expect(guard('/register', VISITORS.electrician, 'key=ABCDE')).toBe(fleet)
  })

  it('ignores a trailing slash', () => {
    expect(guard('/dashboard/', VISITORS.guest)).toBe(login)
  })

  it('does not loop: every target can be opened or leads to the login', () => {
    for (const [path] of TABLE) {
      for (const visitor of Object.values(VISITORS)) {
        let at: string | null = path
        let steps = 0
        for (let next = guard(path, visitor); next !== null; next = guard(next, visitor)) {
          at = next
          steps += 1
          expect(steps).toBeLessThan(4)
        }
        expect(guard(at, visitor)).toBeNull()
      }
    }
  })
})
