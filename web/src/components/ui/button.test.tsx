import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { Button } from './button'

/** Goes down to nothing, like the way back to the first page. */
function Countdown({ onPress }: { onPress: () => void }) {
  const [left, setLeft] = useState(1)
  return (
    <Button
      keepsFocus
      disabled={left === 0}
      onClick={() => {
        onPress()
        setLeft(left - 1)
      }}
    >
      back
    </Button>
  )
}

describe('a button that its own press disables', () => {
  it('keeps the focus until the keyboard goes on, says that it is disabled, and does nothing any more', async () => {
    const onPress = vi.fn()
    render(<Countdown onPress={onPress} />)
    const button = screen.getByRole('button')
    await userEvent.tab()
    await userEvent.keyboard('{Enter}')
    expect(button).toHaveFocus()
    expect(button).toHaveAttribute('aria-disabled', 'true')
    await userEvent.keyboard('{Enter}')
    expect(onPress).toHaveBeenCalledTimes(1)
    await userEvent.tab()
    expect(button).toBeDisabled()
  })
})
