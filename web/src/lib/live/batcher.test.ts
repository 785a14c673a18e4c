import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeBatcher } from './batcher'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('events', () => {
  it('are passed on at once, and together while more follow', () => {
    const passed: string[][] = []
    const gatherer = makeBatcher<string>(250, (news) => passed.push(news))
    gatherer.add('a')
    expect(passed).toEqual([['a']])
    gatherer.add('b')
    vi.advanceTimersByTime(249)
    gatherer.add('c')
    expect(passed).toEqual([['a']])
    vi.advanceTimersByTime(1)
    expect(passed).toEqual([['a'], ['b', 'c']])
    vi.advanceTimersByTime(250)
    gatherer.add('d')
    expect(passed).toEqual([['a'], ['b', 'c'], ['d']])
  })

  it('that are waiting when it stops are dropped', () => {
    const passed: string[][] = []
    const gatherer = makeBatcher<string>(250, (news) => passed.push(news))
    gatherer.add('a')
    gatherer.add('b')
    gatherer.stop()
    vi.advanceTimersByTime(1_000)
    expect(passed).toEqual([['a']])
  })
})
