import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import type { Live } from './live'
import { liveQuery } from './live-query'

test('another language keeps the selected skew of a wrong clock', () => {
  const client = new QueryClient()
  const live: Live = { entries: { A: { received_at: 1 } as Live['entries'][string] }, skew: 60_000 }
  client.setQueryData(liveQuery('de').queryKey, live)
  const skew = ({ skew }: Live) => skew
  const observer = new QueryObserver(client, { ...liveQuery('de'), enabled: false, select: skew })
  const stop = observer.subscribe(() => {})
  observer.setOptions({ ...liveQuery('en'), enabled: false, select: skew })
  expect(observer.getCurrentResult().data).toBe(60_000)
  client.setQueryData(liveQuery('en').queryKey, { ...live, skew: 0 })
  expect(observer.getCurrentResult().data).toBe(0)
  stop()
})
