import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { liveEntry } from '@/lib/testing/live'
import { renderUi } from '@/lib/testing/render'
import { readingOf } from '../model/reading'
import { Notices } from './notices'

const reading = readingOf(liveEntry())

describe('the bad-weather notice', () => {
  it('says that the storage may reach 0 %, is protected, and that the main switch should stay on', async () => {
    await renderUi(<Notices reading={reading} badWeather />)
    expect(screen.getByText('Schlechtes Wetter erwartet')).toBeInTheDocument()
    expect(
      screen.getByText(/0 % erreichen.*Erhaltungsladung.*Hauptschalter eingeschaltet/),
    ).toBeInTheDocument()
  })

  it('is not there without a reason', async () => {
    await renderUi(<Notices reading={reading} />)
    expect(screen.queryByText('Schlechtes Wetter erwartet')).toBeNull()
  })
})
