import { Pencil, Trash2 } from 'lucide-react'
import { useId } from 'react'
import { Button } from '@/components/ui/button'
import type { Group } from '@/lib/data/groups'
import { useT } from '@/lib/i18n/use-t'
import type { Section } from './model/sections'
import { SystemRow } from './system-row'

type Props = {
  section: Section
  /** Undefined while it is unknown; then the group cannot be changed. */
  group: Group | undefined
  onEdit: (group: Group) => void
  onDelete: (group: Group) => void
}

/** A group with its systems and actions. */
export function GroupSection({ section: { name, systems }, group, onEdit, onDelete }: Props) {
  const { t } = useT()
  const id = useId()
  return (
    <section aria-labelledby={id} className="rounded-xl border border-line p-4">
      <div className="mb-3 flex items-center justify-between gap-2">
        <h3 id={id} className="min-w-0 text-md font-medium wrap-anywhere">
          {name ?? t('groups.without')}
        </h3>
        {group && (
          <div className="-my-1.5 -mr-2 flex shrink-0">
            <Button
              variant="ghost"
              size="s"
              aria-label={t('groups.edit.label', { name: group.name })}
              onClick={() => onEdit(group)}
            >
              <Pencil aria-hidden className="size-4" />
            </Button>
            <Button
              variant="ghost"
              size="s"
              aria-label={t('groups.delete.label', { name: group.name })}
              onClick={() => onDelete(group)}
            >
              <Trash2 aria-hidden className="size-4" />
            </Button>
          </div>
        )}
      </div>
      {systems.length > 0 ? (
        <ul className="divide-y divide-line">
          {systems.map((system) => (
            <SystemRow key={system.sn} system={system} />
          ))}
        </ul>
      ) : (
        <p className="text-sm text-muted">{t('groups.empty')}</p>
      )}
    </section>
  )
}
