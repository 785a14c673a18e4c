import { useQuery } from '@tanstack/react-query'
import { FolderPlus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { pageCount, pageOf } from '@/components/ui/pages'
import { Pagination } from '@/components/ui/pagination'
import { Skeleton } from '@/components/ui/skeleton'
import { errorText } from '@/lib/api/errors'
import { PAGE_SIZE } from '@/lib/constants'
import { type Group, groupsQuery } from '@/lib/data/groups'
import { type System, systemsQuery } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { lazyPart } from '@/lib/lazy-part'
import { useSession } from '@/lib/session/session-store'
import { GroupSection } from './group-section'
import { sectionsOf } from './model/sections'
import { rowStyle, SystemRow } from './system-row'

/** Loaded on demand. */
const WriteGroup = lazyPart(async () => (await import('./group-dialogs')).WriteGroup)
const DeleteGroup = lazyPart(async () => (await import('./group-dialogs')).DeleteGroup)

/** The open dialog; the number resets its form at each opening. */
type DialogState = { kind: 'write' | 'delete'; group: Group | null; opening: number; open: boolean }

/** The account's systems by group, with phase and firmware. */
export function SystemList() {
  const { t } = useT()
  const { data, error, isFetching, refetch } = useQuery(systemsQuery)
  const { data: groups = [] } = useQuery(groupsQuery)
  const [dialog, setDialog] = useState<DialogState>({ kind: 'write', group: null, opening: 0, open: false })
  const begin = (kind: DialogState['kind'], group: Group | null) =>
    setDialog(({ opening }) => ({ kind, group, opening: opening + 1, open: true }))
  const dialogProps = {
    open: dialog.open,
    onClose: () => setDialog((before) => ({ ...before, open: false })),
  }
  if (!data && error) {
    return (
      <Callout
        tone="danger"
        title={t('systems.failed')}
        action={
          <Button variant="outline" size="s" busy={isFetching} onClick={() => void refetch()}>
            {t('systems.retry')}
          </Button>
        }
      >
        {errorText(error, t)}
      </Callout>
    )
  }
  return (
    <Card
      title={t('systems.title')}
      aria-busy={!data}
      action={
        <Button variant="outline" size="s" disabled={!data} onClick={() => begin('write', null)}>
          <FolderPlus aria-hidden className="size-4" />
          {t('groups.create')}
        </Button>
      }
    >
      {data ? (
        <Sections
          key="systems"
          systems={data}
          groups={groups}
          onEdit={(group) => begin('write', group)}
          onDelete={(group) => begin('delete', group)}
        />
      ) : (
        <Loading key="waiting" />
      )}
      <Suspense key={dialog.opening}>
        {dialog.kind === 'delete' && dialog.group && <DeleteGroup {...dialogProps} group={dialog.group} />}
        {dialog.kind === 'write' && dialog.opening > 0 && (
          <WriteGroup {...dialogProps} group={dialog.group} systems={data ?? []} />
        )}
      </Suspense>
    </Card>
  )
}

type SectionsProps = {
  systems: readonly System[]
  groups: readonly Group[]
  onEdit: (group: Group) => void
  onDelete: (group: Group) => void
}

/** Ten groups per page. Without groups there are no headings. */
function Sections({ systems, groups, onEdit, onDelete }: SectionsProps) {
  const { t } = useT()
  const [chosen, setChosen] = useState(1)
  const sections = sectionsOf(
    systems,
    groups.map(({ name }) => name),
  )
  if (sections.every(({ name }) => name === null)) {
    return (
      <ul className="divide-y divide-line">
        {systems.map((system) => (
          <SystemRow key={system.sn} system={system} />
        ))}
      </ul>
    )
  }
  const { current, items } = pageOf(sections, chosen, PAGE_SIZE)
  return (
    <>
      <div className="grid gap-3">
        {items.map((section) => (
          <GroupSection
            key={section.name ?? ''}
            section={section}
            group={groups.find(({ name }) => name === section.name)}
            onEdit={onEdit}
            onDelete={onDelete}
          />
        ))}
      </div>
      <Pagination
        label={t('groups.title')}
        page={current}
        count={pageCount(sections.length, PAGE_SIZE)}
        onChange={setChosen}
      />
    </>
  )
}

/** As many rows as last time, so that nothing moves. */
function Loading() {
  const expected = useSession((session) => session.serials) ?? ['']
  return (
    <ul className="divide-y divide-line">
      {expected.map((sn) => (
        <li key={sn} className={rowStyle}>
          <Skeleton className="h-24 sm:h-11" />
        </li>
      ))}
    </ul>
  )
}
