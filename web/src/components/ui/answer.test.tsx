import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { networkError } from '@/lib/api/errors'
import { renderUi } from '@/lib/testing/render'
import { Answer } from './answer'

const AT = Date.UTC(2026, 10, 19, 12, 30)
const refetch = vi.fn()

const show = (query: { data?: string; error?: Error }) =>
  renderUi(
    <Answer
      query={
        {
          data: undefined,
          error: null,
          isFetching: false,
          dataUpdatedAt: AT,
          refetch,
          ...query,
        } as never
      }
      failed="Das ging nicht"
      waiting={<p>Platzhalter</p>}
    >
      {(data: string) => <p>{data}</p>}
    </Answer>,
  )

describe('an answer', () => {
  it('that is on its way has a placeholder, which is busy', async () => {
    await show({})
    expect(screen.getByText('Platzhalter').closest('[aria-busy=true]')).not.toBeNull()
  })

  it('that has failed says what and why, and can be asked for again', async () => {
    await show({ error: networkError() })
    const alert = screen.getByRole('alert')
    expect(alert).toHaveTextContent('Das ging nicht')
    expect(alert).toHaveTextContent('Keine Verbindung')
    await userEvent.click(screen.getByRole('button', { name: 'Noch einmal versuchen' }))
    expect(refetch).toHaveBeenCalledTimes(1)
  })

  it('that is there is shown, and nothing else', async () => {
    const { container } = await show({ data: 'Wert' })
    expect(container).toHaveTextContent(/^Wert$/)
  })

  it('that could not be refreshed is shown with its time', async () => {
    await show({ data: 'Wert', error: networkError() })
    expect(screen.getByText('Wert')).toBeInTheDocument()
    expect(screen.getByRole('status')).toHaveTextContent(/Stand: 19\.11\.2026/)
    expect(screen.queryByRole('alert')).toBeNull()
  })
})
