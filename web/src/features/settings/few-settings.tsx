import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Checkbox } from '@/components/ui/checkbox'
import { Skeleton } from '@/components/ui/skeleton'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { SettingField } from './components/setting-field'
import { StateLine } from './components/state-line'
import { saveSettings, settingsChanged } from './data'
import { needsAcknowledgement } from './model/check'
import { bodyOf, raisesLimit, type Systems } from './model/draft'
import { GROUP_NAMES, SETTING_NAMES, type SettingName } from './model/fields'
import { failuresOf, fieldErrorsOf } from './model/outcome'
import { useEditor } from './use-editor'
import { useSettings } from './use-settings'

type Props = { sn: string; names: readonly string[] }

const isSetting = (name: string): name is SettingName => SETTING_NAMES.some((known) => known === name)

/** A few settings of one system for electricians, saved at once without a password. */
export function FewSettings({ sn, names }: Props) {
  const { t, locale } = useT()
  const { data: systems, error } = useSettings()
  const system = systems?.find((one) => one.sn === sn)
  if (error && !system) return <Callout tone="danger">{refusalText(error, t, locale)}</Callout>
  if (!system)
    return (
      <div aria-busy="true">
        <Skeleton className="h-40" />
      </div>
    )
  return <Editor systems={[system]} names={names.filter(isSetting)} />
}

type EditorProps = { systems: Systems; names: readonly SettingName[] }

function Editor({ systems, names }: EditorProps) {
  const { t, locale } = useT()
  const editor = useEditor(systems, systems, GROUP_NAMES)
  const [acknowledged, setAcknowledged] = useState(false)
  const [sending, setSending] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [system] = systems
  // Typing a value below 4.2 kW removes the need to acknowledge.
  const owes = names.includes('charge_limit') && editor.draft.charge_limit === undefined
  const notice = raisesLimit(editor.changes, systems) || (owes && systems.some(needsAcknowledgement))
  const changes = editor.changes.length > 0

  async function save() {
    if (!editor.check()) return
    setSending(true)
    setProblem(null)
    try {
      const body = bodyOf(editor.draft, editor.changes)
      const answer = await saveSettings(systems, body, { acknowledge_14a: acknowledged })
      const failed = failuresOf(answer)
      if (answer.success.length > 0) editor.discard()
      else {
        editor.refuse(fieldErrorsOf(answer))
        const texts = failed.flatMap(({ texts: problems }) => problems.map(({ text }) => text))
        setProblem(texts.join(' ') || t('settings.save_failed'))
      }
      await settingsChanged()
    } catch (error) {
      setProblem(refusalText(error, t, locale))
    } finally {
      setSending(false)
    }
  }

  return (
    <div className="grid gap-4 rounded-xl border border-line p-4">
      {system && <StateLine system={system} named />}
      {problem && <Callout tone="danger">{problem}</Callout>}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {names.map((name) => (
          <SettingField key={name} name={name} systems={systems} editor={editor} />
        ))}
      </div>
      {notice && (
        <Callout tone="warn" title={t('settings.notice_14a.title')}>
          <p>{t('settings.notice_14a')}</p>
          <Checkbox
            checked={acknowledged}
            onChange={({ target }) => setAcknowledged(target.checked)}
            label={t('settings.notice_14a.acknowledge')}
          />
        </Callout>
      )}
      {(changes || notice) && (
        <Button
          variant="outline"
          busy={sending}
          disabled={!changes && !acknowledged}
          onClick={() => void save()}
          className="sm:justify-self-start"
        >
          {t(changes ? 'settings.send' : 'settings.notice_14a.confirm')}
        </Button>
      )}
    </div>
  )
}
