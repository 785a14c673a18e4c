import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, describe, expect, it } from 'vitest'
import type { Group } from '@/lib/data/groups'
import { useNotifications } from '@/lib/notify'
import { resetSessionStore, startSession } from '@/lib/session/session-store'
import { fill } from '@/lib/testing/fill'
import { liveEntry, liveOf } from '@/lib/testing/live'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { SystemList } from './system-list'

const SERIALS = ['8K2041773', '8K2041774']

/** A server with groups; a system is in at most one. Returns the sent requests. */
function serve(groups: Group[]) {
  const sent: string[] = []
  const nameOf = (sn: string) => groups.find(({ systems }) => systems.includes(sn))?.name ?? null
  const write = async (request: Request, group: Group) => {
    const body = await request.text()
    sent.push(`${request.method} ${body}`)
    const form = new URLSearchParams(body)
    group.name = form.get('name') ?? group.name
    group.systems = form.get('sn')?.split(',').filter(Boolean) ?? group.systems
    return group
  }
  server.use(
    http.get('*/api/auth/usr_sn/', () =>
      HttpResponse.json(
        SERIALS.map((sn, index) => ({ sn, phase: index + 1, access: 'owner', group_name: nameOf(sn) })),
      ),
    ),
    http.get('*/api/auth/group/', () => HttpResponse.json(groups)),
    http.post('*/api/auth/group/', async ({ request }) => {
      const group = await write(request, { id: groups.length + 1, name: '', systems: [] })
      groups.push(group)
      return HttpResponse.json(group, { status: 201 })
    }),
    http.patch('*/api/auth/group/:id/', async ({ request, params }) => {
      const group = groups.find(({ id }) => id === Number(params.id)) as Group
      return HttpResponse.json(await write(request, group))
    }),
    http.delete('*/api/auth/group/:id/', ({ params }) => {
      sent.push(`DELETE ${params.id}`)
      groups.splice(
        groups.findIndex(({ id }) => id === Number(params.id)),
        1,
      )
      return new HttpResponse(null, { status: 204 })
    }),
  )
  return sent
}

const open = () =>
  renderPage(() => (
    <>
      <h1>Page</h1>
      <SystemList />
    </>
  ))

const groupName = () => screen.findByLabelText('Name der Gruppe')
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
const inGroup = (name: string) => screen.findByRole('region', { name })
const notifications = () => useNotifications.getState().waiting.map(({ text }) => text)

afterEach(() => useNotifications.setState({ waiting: [] }))

describe('a system in the list', () => {
  afterEach(() => resetSessionStore())

  it('shows that it does not report', async () => {
    startSession({ access: 'access', refresh: 'refresh', role: 'user' })
    serve([])
    const [first = '', second = ''] = SERIALS
    server.use(
      http.get('*/api/auth/data/', () =>
        HttpResponse.json({
          ...liveOf([]),
          data: [{ [first]: liveEntry() }, { [second]: liveEntry({ online: false }) }],
        }),
      ),
    )
    await open()
    const text = await screen.findByText('Der Speicher meldet sich gerade nicht.')
    const [well, silent] = screen.getAllByRole('listitem').filter((row) => within(row).queryByText('Master'))
    expect(silent).toContainElement(text)
    expect(well).not.toHaveTextContent('meldet sich')
  })
})

describe('groups', () => {
  it('cannot be created without a name', async () => {
    const sent = serve([])
    await open()
    await screen.findByText('8K2041773')
    await press('Gruppe anlegen')
    await groupName()
    fill('Name der Gruppe', '   ')
    await press('Anlegen')
    expect(await screen.findByText('Bitte ausfüllen.')).toBeInTheDocument()
    expect(screen.getByLabelText('Name der Gruppe')).toHaveFocus()
    expect(sent).toEqual([])
  })

  it('are created with a name and systems, with a confirmation', async () => {
    const sent = serve([])
    await open()
    await screen.findByText('8K2041773')
    await press('Gruppe anlegen')
    await groupName()
    fill('Name der Gruppe', ' Ferienhaus ')
    await userEvent.click(screen.getByRole('checkbox', { name: /8K2041774/ }))
    await press('Anlegen')
    expect(await within(await inGroup('Ferienhaus')).findByText('8K2041774')).toBeInTheDocument()
    expect(within(await inGroup('Ohne Gruppe')).getByText('8K2041773')).toBeInTheDocument()
    expect(sent).toEqual(['POST name=Ferienhaus&sn=8K2041774'])
    expect(notifications()).toEqual(['Die Gruppe „Ferienhaus“ wurde erfolgreich angelegt'])
  })

  it('can be renamed and get other systems', async () => {
    const sent = serve([
      { id: 1, name: 'Haus', systems: ['8K2041773'] },
      { id: 2, name: 'Hof', systems: ['8K2041774'] },
    ])
    await open()
    await press('Gruppe „Haus“ ändern')
    await groupName()
    expect(screen.getByRole('checkbox', { name: /8K2041773/ })).toBeChecked()
    expect(screen.getByRole('checkbox', { name: /8K2041774.*jetzt in „Hof“/ })).not.toBeChecked()
    await groupName()
    fill('Name der Gruppe', 'Haus am See')
    await userEvent.click(screen.getByRole('checkbox', { name: /8K2041774/ }))
    await press('Speichern')
    expect(await within(await inGroup('Haus am See')).findByText('8K2041773')).toBeInTheDocument()
    expect(sent).toEqual(['PATCH name=Haus+am+See&sn=8K2041773%2C8K2041774'])
  })

  it('show at the field why a name was refused', async () => {
    serve([])
    server.use(
      http.post('*/api/auth/group/', () =>
        HttpResponse.json({ name: ['taken'], codes: { name: ['group_taken'] } }, { status: 400 }),
      ),
    )
    await open()
    await screen.findByText('8K2041773')
    await press('Gruppe anlegen')
    await groupName()
    fill('Name der Gruppe', 'Haus')
    await press('Anlegen')
    expect(await screen.findByText(/Eine Gruppe mit diesem Namen haben Sie schon/)).toBeInTheDocument()
    expect(screen.getByLabelText('Name der Gruppe')).toHaveAccessibleDescription(/haben Sie schon/)
  })

  it('are deleted after a confirmation, and their systems stay', async () => {
    const sent = serve([{ id: 7, name: 'Haus', systems: ['8K2041773'] }])
    await open()
    await press('Gruppe „Haus“ löschen')
    expect(sent).toEqual([])
    await press('Gruppe löschen')
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Haus' })).toBeNull())
    expect(sent).toEqual(['DELETE 7'])
    expect(screen.getByText('8K2041773')).toBeInTheDocument()
    expect(notifications()).toEqual(['Die Gruppe „Haus“ ist gelöscht'])
  })

  it('are shown ten per page', async () => {
    serve(Array.from({ length: 11 }, (_, id) => ({ id, name: `Haus ${id}`, systems: [] })))
    await open()
    await inGroup('Haus 0')
    expect(screen.getAllByText('In dieser Gruppe ist noch keine Anlage.')).toHaveLength(10)
    await press('Seite 2')
    expect(await inGroup('Haus 10')).toBeInTheDocument()
    expect(await inGroup('Ohne Gruppe')).toBeInTheDocument()
  })
})
