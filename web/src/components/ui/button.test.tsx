import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { Button } from './button'

/** Counts down and disables itself at zero, like a "previous page" button. */
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
  it('keeps the focus until Tab is pressed, is announced as disabled, and does nothing', async () => {
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
