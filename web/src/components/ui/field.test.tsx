import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderUi } from '@/lib/testing/render'
import { Field } from './field'
import { NewPasswordFields } from './new-password-fields'
import { PasswordField } from './password-field'

describe('a field', () => {
  it('is named by its label and described by hint and error', async () => {
    await renderUi(<Field label="E-Mail" hint="hint" error="error" />)
    const input = screen.getByRole('textbox', { name: 'E-Mail' })
    expect(input).toHaveAccessibleDescription('hint error')
    expect(input).toBeInvalid()
  })

  it('without an error is not marked invalid', async () => {
    await renderUi(<Field label="E-Mail" />)
    expect(screen.getByRole('textbox')).not.toHaveAttribute('aria-invalid')
  })
})

describe('a password field', () => {
  it('can be shown as text, and announces whether it is', async () => {
    await renderUi(<PasswordField label="Passwort" />)
    const reveal = screen.getByRole('button', { name: 'Passwort anzeigen' })
    expect(screen.getByLabelText('Passwort')).toHaveAttribute('type', 'password')
    await userEvent.click(reveal)
    expect(screen.getByLabelText('Passwort')).toHaveAttribute('type', 'text')
    expect(reveal).toHaveAttribute('aria-pressed', 'true')
  })

  it('for a new password is described by its rules', async () => {
    const field = (name: string) => ({ name, value: '', error: undefined, onChange: () => {} })
    await renderUi(<NewPasswordFields password={field('a')} repeat={field('b')} label="Passwort" />)
    expect(screen.getByLabelText('Passwort')).toHaveAccessibleDescription(/^Mindestens 8 Zeichen ?fehlt noch/)
  })

  it('accepts a pasted password', async () => {
    await renderUi(<PasswordField label="Passwort" />)
    await userEvent.click(screen.getByLabelText('Passwort'))
    await userEvent.paste('Sonnenschein-1!')
    expect(screen.getByLabelText('Passwort')).toHaveValue('Sonnenschein-1!')
  })
})
