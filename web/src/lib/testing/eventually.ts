import { vi } from 'vitest'

/** Waits for a condition, long enough for two busy cores; the default is a second. */
export const eventually = (holds: () => unknown) => vi.waitFor(holds, { timeout: 15_000 })
