import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { renderUi } from '@/lib/testing/render'
import { Menu } from './menu'

const chosen = vi.fn()

const open = () =>
  renderUi(
    <Menu trigger={<button type="button">More</button>}>
      {({ MenuItem }) => <MenuItem onSelect={chosen}>Item</MenuItem>}
    </Menu>,
  )

describe('a lazily loaded menu', () => {
  it('is announced as a menu before it is loaded', async () => {
    await open()
    expect(screen.getByRole('button', { name: 'More' })).toHaveAttribute('aria-haspopup', 'menu')
    expect(screen.queryByRole('menuitem')).toBeNull()
  })

  it('opens with a click, and again after it was closed', async () => {
    await open()
    for (let turn = 0; turn < 2; turn += 1) {
      await userEvent.click(screen.getByRole('button', { name: 'More' }))
      await userEvent.click(await screen.findByRole('menuitem', { name: 'Item' }))
      expect(screen.queryByRole('menuitem')).toBeNull()
    }
    expect(chosen).toHaveBeenCalledTimes(2)
  })

  it.each(['{Enter}', ' ', '{ArrowDown}'])(
    'opens with the key "%s"; the focus goes in and comes back',
    async (key) => {
      await open()
      await userEvent.tab()
      await userEvent.keyboard(key)
      await waitFor(() => expect(screen.getByRole('menuitem', { name: 'Item' })).toHaveFocus())
      await userEvent.keyboard('{Escape}')
      expect(screen.getByRole('button', { name: 'More' })).toHaveFocus()
    },
  )
})
