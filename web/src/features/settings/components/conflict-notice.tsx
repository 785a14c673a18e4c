import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { useT } from '@/lib/i18n/use-t'
import type { ConflictingChange, Systems } from '../model/draft'
import { valueText } from '../model/fields'
import type { Editor } from '../use-editor'

/** Another person or tab has saved meanwhile: shows both values and lets the person choose. */
export function ConflictNotice({ systems, editor }: { systems: Systems; editor: Editor }) {
  const { t } = useT()
  const changed = systems.filter(({ sn }) => editor.conflicts.some((change) => change.sn === sn))
  const own = changed.every(({ changed_by }) => changed_by === 'you')
  const both = editor.conflicts.some(({ name }) => editor.draft[name] !== undefined)
  return (
    <Callout
      tone="warn"
      title={t(own ? 'settings.conflict.own' : 'settings.conflict')}
      action={
        <div className="flex flex-wrap gap-3">
          <Button size="s" variant="outline" onClick={editor.keepMine}>
            {t(both ? 'settings.conflict.mine' : 'settings.conflict.go_on')}
          </Button>
          {both && (
            <Button size="s" variant="outline" onClick={editor.takeTheirs}>
              {t('settings.conflict.theirs')}
            </Button>
          )}
        </div>
      }
    >
      <p>{t('settings.conflict.text')}</p>
      <ul className="mt-2 grid gap-1">
        {editor.conflicts.map((change) => (
          <ConflictRow
            key={`${change.sn} ${change.name}`}
            change={change}
            systems={systems}
            draft={editor.draft[change.name]}
          />
        ))}
      </ul>
    </Callout>
  )
}

function ConflictRow({
  change,
  systems,
  draft,
}: {
  change: ConflictingChange
  systems: Systems
  draft?: string
}) {
  const { t, locale } = useT()
  const { sn, name, before, now } = change
  const spec = systems.find((system) => system.sn === sn)?.fields[name]
  if (!spec) return null
  const typed = spec.kind === 'switch' ? valueText(draft === 'true', spec, t, locale) : draft
  return (
    <li className="num wrap-anywhere">
      {systems.length > 1 && `${sn}: `}
      {t('settings.conflict.change', {
        field: t(`setting.${name}`),
        from: valueText(before, spec, t, locale),
        to: valueText(now, spec, t, locale),
      })}
      {draft !== undefined && ` ${t('settings.conflict.yours', { value: typed })}`}
    </li>
  )
}
