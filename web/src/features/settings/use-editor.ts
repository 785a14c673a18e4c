import { useState } from 'react'
import type { Findings } from './model/check'
import { changesOf, type Draft, findingsOf, foreignChanges, type Systems } from './model/draft'
import { type Group, groupOf, type SettingName } from './model/fields'

type Editing = {
  draft: Draft
  /** All systems as they were when the first key was pressed. */
  began: Systems
  errors: Findings
}

const NOTHING: Editing = { draft: {}, began: [], errors: {} }

/**
 * What is being changed. Nothing typed is thrown away but by the person, and what somebody else saves meanwhile is seen
 * before it can be written over.
 * @param all every system
 * @param systems those that the change is for
 * @param groups what the form shows: what is wrong elsewhere stops nobody here
 */
export function useEditor(all: Systems, systems: Systems, groups: readonly Group[]) {
  const [{ draft, began, errors }, setEditing] = useState(NOTHING)
  /** Counts refusals: with each the focus goes to the first field that is wrong. */
  const [attempt, setAttempt] = useState(0)
  const changes = changesOf(draft, systems)
  const foreign = changes.length > 0 ? foreignChanges(began, systems) : []

  function refuse(found: Findings) {
    setEditing((now) => ({ ...now, errors: found }))
    setAttempt((before) => before + 1)
  }

  return {
    draft,
    errors,
    attempt,
    changes,
    foreign,
    change: (name: SettingName, text: string) =>
      setEditing((now) => ({
        draft: { ...now.draft, [name]: text },
        began: changesOf(now.draft, all).length > 0 ? now.began : all,
        errors: { ...now.errors, [name]: undefined },
      })),
    /** Whether it may be sent; otherwise the fields say why not. */
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
    discard: () => setEditing(NOTHING),
    /** Goes on with what was typed, over what somebody else has saved. */
    keepMine: () => setEditing((now) => ({ ...now, began: all })),
    /** Lets the other's values stand where both have changed the same. */
    takeTheirs: () =>
      setEditing((now) => {
        const theirs = new Set<string>(foreign.map(({ name }) => name))
        const kept = Object.entries(now.draft).filter(([name]) => !theirs.has(name))
        return { draft: Object.fromEntries(kept), began: all, errors: {} }
      }),
  }
}

export type Editor = ReturnType<typeof useEditor>
