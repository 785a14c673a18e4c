import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { renderUi } from '@/lib/testing/render'
import { readTime } from '@/lib/validation/time'
import { TimeField } from './time-field'

it.each([
  ['7', '07:00'],
  ['730', '07:30'],
  ['7:30', '07:30'],
  ['7.30', '07:30'],
  ['1230', '12:30'],
  ['24:00', '24:00'],
  ['noon', 'noon'],
])('%s is the time %s', (text, time) => expect(readTime(text)).toBe(time))

function Form() {
  const [time, setTime] = useState('')
  return <TimeField label="Bis" value={time} onChange={({ target }) => setTime(target.value)} />
}

it('a time is typed in 24 hours in any browser language, and completed on blur', async () => {
  await renderUi(<Form />)
  const field = screen.getByLabelText('Bis')
  // A native time input follows the browser's language, with AM and PM in English.
  expect(field).not.toHaveAttribute('type', 'time')
  expect(field).toHaveAttribute('placeholder', 'HH:MM')
  await userEvent.type(field, '18')
  await userEvent.tab()
  expect(field).toHaveValue('18:00')
})
