import { afterEach, describe, expect, it, vi } from 'vitest'
import { CHUNK_LOAD_TIMEOUT } from './constants'
import { ChunkLoadError, loadChunk } from './load-chunk'

afterEach(() => vi.useRealTimers())

describe('loading a chunk', () => {
  it('gives what was loaded', async () => {
    expect(await loadChunk(async () => 'page')).toBe('page')
  })

  it('tells a failed import apart from other errors', async () => {
    const failed = loadChunk(() => Promise.reject(new TypeError('Failed to fetch')))
    await expect(failed).rejects.toBeInstanceOf(ChunkLoadError)
  })

  it('gives up after 120 seconds, and not before', async () => {
    vi.useFakeTimers()
    const settled = vi.fn()
    const pending = loadChunk(() => new Promise(() => undefined)).catch(settled)
    await vi.advanceTimersByTimeAsync(CHUNK_LOAD_TIMEOUT - 1)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await pending
    expect(CHUNK_LOAD_TIMEOUT).toBe(120_000)
    expect(settled).toHaveBeenCalledWith(expect.any(ChunkLoadError))
  })
})
