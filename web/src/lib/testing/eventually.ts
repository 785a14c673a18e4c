import { vi } from 'vitest'

/** Waits until this holds; as long as two busy cores may need, where the default is a second. */
export const eventually = (holds: () => unknown) => vi.waitFor(holds, { timeout: 15_000 })
