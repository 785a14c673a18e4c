import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { ConfirmSave } from './components/confirm-save'
import { ConflictNotice } from './components/conflict-notice'
import { LeaveGuard } from './components/leave-guard'
import { ResetSettings } from './components/reset-settings'
import { SaveBar } from './components/save-bar'
import { SaveResult } from './components/save-result'
import { SettingGroup } from './components/setting-group'
import { type Confirmation, resetSettings, saveSettings, settingsChanged } from './data'
import { bodyOf, changedNames, type Systems } from './model/draft'
import { type Group, groupOf, type SettingName } from './model/fields'
import { conflictsOf, failuresOf, fieldErrorsOf, type SaveOutcome } from './model/outcome'
import { useEditor } from './use-editor'

type Props = {
  all: Systems
  /** The systems of the form. */
  systems: Systems
  /** The shown groups. A single one is always open. */
  groups: readonly Group[]
  meterTest: ReactNode
  prices: ReactNode
  /** Look-only access. */
  readOnly: boolean
  /** Some systems failed: the form continues with them. */
  onFailed: (serials: string[]) => void
}

/** All settings in groups. Changes are collected, reviewed and sent together. */
export function SettingsForm({ all, systems, groups, meterTest, prices, readOnly, onFailed }: Props) {
  const { t } = useT()
  const editor = useEditor(all, systems, groups)
  // `#meter` opens that group.
  const hash = useLocation({ select: (location) => location.hash })
  const [wanted] = useState(() => groups.find((group) => group === hash))
  const [opened, setOpened] = useState<readonly Group[]>(wanted ? [wanted] : ['charging'])
  const [confirming, setConfirming] = useState(false)
  const [sending, setSending] = useState(false)
  const [outcome, setOutcome] = useState<SaveOutcome | null>(null)
  const form = useRef<HTMLDivElement>(null)
  const { attempt, errors } = editor

  useEffect(() => {
    if (wanted) document.getElementById(wanted)?.scrollIntoView({ block: 'start' })
  }, [wanted])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per attempt, not per keystroke
  useEffect(() => {
    if (attempt === 0) return
    const wrong = Object.keys(errors).map((name) => groupOf(name as SettingName))
    setOpened((before) => [...new Set([...before, ...wrong])])
  }, [attempt])
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the groups with the mistakes are open
  useEffect(() => {
    if (attempt > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [attempt, opened])

  async function finish(answer: SaveOutcome, message: string) {
    setConfirming(false)
    setOutcome(answer)
    const failed = [...failuresOf(answer).map(({ sn }) => sn), ...conflictsOf(answer)]
    if (failed.length === 0) editor.discard()
    else {
      editor.refuse(fieldErrorsOf(answer))
      if (answer.success.length > 0) onFailed(failed)
    }
    if (answer.success.length > 0) notify.success(message)
    await settingsChanged()
  }

  async function send(confirmation: Confirmation) {
    setSending(true)
    try {
      const body = bodyOf(editor.draft, editor.changes)
      await finish(await saveSettings(systems, body, confirmation), t('settings.saved'))
    } finally {
      setSending(false)
    }
  }

  const count = changedNames(editor.changes).length
  // The event stream may deliver this save before its answer; that is not a change by others.
  const undecided = !sending && editor.conflicts.length > 0
  return (
    <div ref={form}>
      <LeaveGuard count={count} />
      <div className="grid gap-4">
        {outcome && <SaveResult outcome={outcome} />}
        {undecided && <ConflictNotice systems={systems} editor={editor} />}
      </div>
      <div className="divide-y divide-line">
        {groups.map((group) => (
          <SettingGroup
            key={group}
            group={group}
            systems={systems}
            editor={editor}
            readOnly={readOnly}
            folding={
              groups.length === 1
                ? undefined
                : {
                    open: opened.includes(group),
                    onToggle: () =>
                      setOpened((before) =>
                        before.includes(group) ? before.filter((one) => one !== group) : [...before, group],
                      ),
                  }
            }
          >
            {group === 'meter' && !readOnly && meterTest}
            {group === 'tariff' && prices}
          </SettingGroup>
        ))}
      </div>
      {!readOnly && groups.length > 1 && (
        <div className="mt-4">
          <ResetSettings
            systems={systems}
            disabled={count > 0}
            reset={async (options) => finish(await resetSettings(systems, options), t('settings.reset.done'))}
          />
        </div>
      )}
      <SaveBar
        count={count}
        disabled={undecided}
        onDiscard={editor.discard}
        onSend={() => {
          setOutcome(null)
          if (editor.check()) setConfirming(true)
        }}
      />
      <ConfirmSave
        open={confirming && !undecided}
        onClose={() => setConfirming(false)}
        changes={editor.changes}
        systems={systems}
        send={send}
      />
    </div>
  )
}
