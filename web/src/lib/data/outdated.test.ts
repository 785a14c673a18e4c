import type { QueryKey } from '@tanstack/react-query'
import { HttpResponse, http } from 'msw'
import { afterEach, describe, expect, it } from 'vitest'
import { queryClient } from '../query-client'
import { planOf } from '../testing/plan'
import { server } from '../testing/server'
import { saveGroup } from './groups'
import { allJournals } from './journal'
import { monthSavingsQuery, saveTariff, tariffQuery } from './money'
import { changePlan, planQuery } from './plan'
import { settingsOfQuery } from './settings'
import { nameEndUser, systemsQuery } from './systems'

afterEach(() => queryClient.clear())

describe('what was loaded before', () => {
  const SETTINGS = settingsOfQuery('A').queryKey
  const TARIFF = tariffQuery('A').queryKey
  const SAVINGS = monthSavingsQuery('A', '2026-11-19').queryKey
  const PLAN = planQuery('A', 'de').queryKey
  const JOURNAL = [...allJournals.queryKey, 'of anything']
  const SYSTEMS = systemsQuery.queryKey
  const all: readonly QueryKey[] = [SETTINGS, TARIFF, SAVINGS, PLAN, JOURNAL, SYSTEMS]

  it.each<[string, () => Promise<unknown>, readonly QueryKey[]]>([
    ['a new price', () => saveTariff({ sn: 'A', since: '2026-11-19' } as never), [SETTINGS, TARIFF, SAVINGS]],
    ['another plan', () => changePlan({ sn: 'A', on: 'true' } as never), [SETTINGS, PLAN, JOURNAL]],
    ['a new group', () => saveGroup(null, { name: 'x', serials: ['A'] }), [SYSTEMS]],
    ['another name', () => nameEndUser('A', { first_name: 'Anna', last_name: 'Berg' }), [SYSTEMS]],
  ])('is outdated by %s where it has changed, and nowhere else', async (_name, change, outdated) => {
    const empty = () => HttpResponse.json({})
    server.use(
      http.post('*/api/auth/tariff/', empty),
      http.post('*/api/auth/plan/', () => HttpResponse.json(planOf())),
      http.post('*/api/auth/group/', empty),
      http.patch('*/api/auth/system/A/', empty),
    )
    for (const key of all) queryClient.setQueryData(key, 'loaded')
    await change()
    const found = all.filter((key) => queryClient.getQueryState(key)?.isInvalidated)
    expect(found).toEqual(outdated)
  })
})
