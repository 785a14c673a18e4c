import { screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { renderUi } from '@/lib/testing/render'
import { ConfirmDialog } from './confirm-dialog'

describe('a confirmation dialog', () => {
  it('can be cancelled', async () => {
    const work = { mutate: vi.fn(), isPending: false, error: null }
    await renderUi(
      <ConfirmDialog open onOpenChange={vi.fn()} title="Abbrechen?" text="Alles." confirm="Ja" work={work} />,
    )
    expect(await screen.findByRole('button', { name: 'Nein, zurück' })).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Abbrechen' })).toBeNull()
  })
})
