import { fireEvent, screen } from '@testing-library/react'

/** Fills in a field at once, because typing takes seconds in a long form. */
export const fill = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
