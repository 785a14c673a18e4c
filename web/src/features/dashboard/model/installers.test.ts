import { expect, it } from 'vitest'
import type { Installer } from '@/lib/data/grants'
import { installersOf } from './installers'

const installer = (email: string, until: number | null): Installer => ({
  company: 'Elektro Sonnenberg',
  email,
  phone: '+4930901820',
  scope: 'service',
  state: 'active',
  until,
})

it('lists each electrician once, with the earliest last day', () => {
  const systems = [
    { installer: installer('a@example.com', 300) },
    { installer: null },
    {},
    { installer: installer('b@example.com', null) },
    { installer: installer('a@example.com', 200) },
  ]
  expect(installersOf(systems)).toEqual([installer('a@example.com', 200), installer('b@example.com', null)])
})
