import { useState } from 'react'
import type { Findings } from './model/check'
import { changesOf, conflictingChanges, type Draft, findingsOf, type Systems } from './model/draft'
import { type Group, groupOf, type SettingName } from './model/fields'

type EditorState = {
  draft: Draft
  /** All systems when editing began. */
  base: Systems
  errors: Findings
}

const UNCHANGED: EditorState = { draft: {}, base: [], errors: {} }

/**
 * The form's state. Only the person discards input, and changes by others are shown before they can be
 * overwritten. @param all every system @param systems the systems of the change @param groups the shown
 * groups: errors in others do not block
 */
export function useEditor(all: Systems, systems: Systems, groups: readonly Group[]) {
  const [{ draft, base, errors }, setEditing] = useState(UNCHANGED)
  /** Counts rejected submits; each focuses the first invalid field. */
  const [attempt, setAttempt] = useState(0)
  const changes = changesOf(draft, systems)
  const conflicts = changes.length > 0 ? conflictingChanges(base, systems) : []

  function refuse(found: Findings) {
    setEditing((now) => ({ ...now, errors: found }))
    setAttempt((before) => before + 1)
  }

  return {
    draft,
    errors,
    attempt,
    changes,
    conflicts,
    change: (name: SettingName, text: string) =>
      setEditing((now) => ({
        draft: { ...now.draft, [name]: text },
        base: changesOf(now.draft, all).length > 0 ? now.base : all,
        errors: { ...now.errors, [name]: undefined },
      })),
    /** Whether it may be sent; otherwise sets the errors of the fields. */
    check: () => {
      const findings = Object.entries(findingsOf(draft, systems))
      const found: Findings = Object.fromEntries(
        findings.filter(([name]) => groups.includes(groupOf(name as SettingName))),
      )
      const right = Object.keys(found).length === 0
      if (right) setEditing((now) => ({ ...now, errors: {} }))
      else refuse(found)
      return right
    },
    refuse,
    discard: () => setEditing(UNCHANGED),
    /** Keeps the input, which overwrites the changes by others. */
    keepMine: () => setEditing((now) => ({ ...now, base: all })),
    /** Discards the input of fields that others have changed. */
    takeTheirs: () =>
      setEditing((now) => {
        const theirs = new Set<string>(conflicts.map(({ name }) => name))
        const kept = Object.entries(now.draft).filter(([name]) => !theirs.has(name))
        return { draft: Object.fromEntries(kept), base: all, errors: {} }
      }),
  }
}

export type Editor = ReturnType<typeof useEditor>
