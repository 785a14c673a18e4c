import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderUi } from '@/lib/testing/render'
import { WhenNear } from './when-near'

/** Simulates the browser's intersection event. */
let tell: (near: boolean) => void

vi.stubGlobal(
  'IntersectionObserver',
  class {
    constructor(listen: (entries: { isIntersecting: boolean }[]) => void) {
      tell = (near) => act(() => listen([{ isIntersecting: near }]))
    }
    observe = vi.fn()
    disconnect = vi.fn()
  },
)
afterEach(() => vi.restoreAllMocks())

describe('a component that is rendered when near', () => {
  it('keeps a placeholder until then, and stays when it is far again', async () => {
    await renderUi(
      <WhenNear placeholder={<p>place</p>}>
        <p>content</p>
      </WhenNear>,
    )
    tell(false)
    expect(screen.getByText('place')).toBeInTheDocument()
    tell(true)
    expect(screen.getByText('content')).toBeInTheDocument()
    expect(screen.queryByText('place')).toBeNull()
    tell(false)
    expect(screen.getByText('content')).toBeInTheDocument()
  })

  it('is rendered with the first key press, before the keyboard passes it', async () => {
    await renderUi(
      <WhenNear placeholder={<p>place</p>}>
        <p>content</p>
      </WhenNear>,
    )
    await userEvent.keyboard('{Tab}')
    expect(screen.getByText('content')).toBeInTheDocument()
  })
})
