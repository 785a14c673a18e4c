import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { DIALOG_ANIMATION } from '@/lib/constants'
import { renderUi } from '@/lib/testing/render'
import { Button } from './button'
import { Dialog } from './dialog'

function Example({ insistent = false }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>open</Button>
      <Dialog open={open} onOpenChange={setOpen} title="title" insistent={insistent} />
    </>
  )
}

function Row() {
  const [state, setState] = useState<'closed' | 'open' | 'gone'>('closed')
  return (
    <section aria-label="list">
      {state !== 'gone' && <Button onClick={() => setState('open')}>delete</Button>}
      <Dialog open={state === 'open'} onOpenChange={() => setState('gone')} title="sure?" />
    </section>
  )
}

describe('a dialog', () => {
  it('returns the focus to its opener', async () => {
    await renderUi(<Example />)
    await userEvent.click(screen.getByRole('button', { name: 'open' }))
    expect(screen.getByRole('dialog', { name: 'title' })).toContainElement(
      document.activeElement as HTMLElement,
    )
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(screen.getByRole('button', { name: 'open' })).toHaveFocus())
  })

  it('moves the focus to the surrounding region if its opener is gone', async () => {
    await renderUi(<Row />)
    await userEvent.click(screen.getByRole('button', { name: 'delete' }))
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(screen.getByRole('region', { name: 'list' })).toHaveFocus())
  })

  it('that insists stays open until a button is pressed', async () => {
    await renderUi(<Example insistent />)
    await userEvent.click(screen.getByRole('button', { name: 'open' }))
    await userEvent.keyboard('{Escape}')
    expect(screen.getByRole('dialog')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Schließen' })).toBeNull()
  })

  it('adds no style element, which the CSP would refuse', async () => {
    await renderUi(<Example />)
    await userEvent.click(screen.getByRole('button', { name: 'open' }))
    expect(document.querySelectorAll('style')).toHaveLength(0)
  })

  it('animates as long as the specification says, in and out', async () => {
    await renderUi(<Example />)
    await userEvent.click(screen.getByRole('button', { name: 'open' }))
    for (const part of [screen.getByRole('dialog'), document.querySelector('[data-dialog-overlay]')]) {
      const times = [...(part?.className ?? '').matchAll(/animate-\[[\w-]+_(\d+)ms/g)].map(([, ms]) =>
        Number(ms),
      )
      expect(times).toEqual([DIALOG_ANIMATION, DIALOG_ANIMATION])
    }
  })
})
