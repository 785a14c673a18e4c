import { afterEach, describe, expect, it, vi } from 'vitest'
import { CHUNK_LOAD_TIMEOUT } from './constants'
import { ChunkLoadError, failureTexts, loadChunk } from './load-chunk'

afterEach(() => vi.useRealTimers())

describe('loading a chunk', () => {
  it('returns what was loaded', async () => {
    expect(await loadChunk(async () => 'page')).toBe('page')
  })

  it('distinguishes a failed import from other errors', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const failed = loadChunk(() => Promise.reject(new TypeError('Failed to fetch')))
    await expect(failed).rejects.toBeInstanceOf(ChunkLoadError)
  })

  it.each([
    'Failed to fetch dynamically imported module: https://x/a.js',
    'error loading dynamically imported module: https://x/a.js',
    'Importing a module script failed.',
    'Unable to preload CSS for /a.css',
  ])('has a different message in every browser: %s', async (words) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    await expect(loadChunk(() => Promise.reject(new TypeError(words)))).rejects.toBeInstanceOf(ChunkLoadError)
  })

  it('that loaded and then failed is not a network error, and its cause is logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const cause = new RangeError('invalid language tag: C')
    const failed = loadChunk(() => Promise.reject(cause))
    await expect(failed).rejects.toBe(cause)
    expect(log).toHaveBeenCalledWith('chunk_failed', cause)
    expect(failureTexts(cause).text).toBe('failure.text')
    expect(failureTexts(new ChunkLoadError()).text).toBe('failure.chunk_text')
  })

  it('times out after 120 seconds, and not before', async () => {
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
