import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError } from '@/lib/api/errors'
import { holdReload } from '@/lib/hold-reload'
import { page } from '@/lib/session/page'
import { readVersionsAgain, startUpdate, statusesOf, withdrawUpdate } from './data'
import { type Effect, next, phaseIn, type WizardEvent } from './machine'
import {
  forgetUpdate,
  markInterrupted,
  readStarted,
  readWizard,
  storeStarted,
  storeUpdates,
  useWizardState,
  writeWizard,
} from './memory'
import { isUnderWay, linkedSystem } from './model'
import type { Answer } from './use-statuses'

type Known = {
  serials: readonly string[] | undefined
  answers: readonly Answer[]
  /** Systems with an open update according to the live data; undefined before these have loaded. */
  jobs: readonly string[] | undefined
}

/** The state machine with what it acts on: the update service, the address and local storage. */
export function useWizard({ serials, answers, jobs }: Known) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const wizard = useWizardState()
  const { sn, states, announced } = wizard
  const linked = useSearch({ strict: false, select: linkedSystem })
  const answer = answers.find((one) => one.sn === sn)
  // The chosen system is kept in the address, so that links can choose one.
  const goTo = (system: string | null) =>
    navigate({ to: '.', search: system === null ? {} : { sn: system }, replace: true })

  function apply(effect: Effect) {
    switch (effect.do) {
      case 'store':
        return storeStarted(effect.sn, effect.state)
      case 'mark_interrupted':
        return markInterrupted(effect.sn)
      case 'forget':
        return forgetUpdate(effect.sn)
      case 'clear_address':
        return void goTo(null)
      case 'reload_versions':
        void readVersionsAgain()
    }
  }

  function send(event: WizardEvent) {
    const before = readWizard()
    const [after, effects] = next(before, event)
    if (after !== before) writeWizard(after)
    effects.forEach(apply)
  }

  useEffect(() => {
    const leave = () => writeWizard(next(readWizard(), { type: 'close_tab' })[0])
    writeWizard(next(readWizard(), { type: 'open', started: readStarted() })[0])
    addEventListener('pagehide', leave)
    return () => removeEventListener('pagehide', leave)
  }, [])

  // After each render: events that say nothing new change nothing.
  useEffect(() => {
    send({ type: 'overview', serials, linked, answers, jobs })
    if (answer?.status) send({ type: 'status', sn: answer.sn, status: answer.status, at: answer.at })
  })

  const phase = phaseIn(wizard, answer)
  const underWay = isUnderWay(phase)
  // Neither a running update nor the notice of its end may be lost in a reload.
  const watched = underWay || (sn !== null && isUnderWay(states[sn] ?? 'empty')) || announced !== null
  useEffect(() => (watched ? holdReload() : undefined), [watched])

  const start = useMutation({
    mutationFn: async (serial: string) => {
      send({ type: 'start', sn: serial })
      const refused = await startUpdate(serial).then(
        ({ updates }) => storeUpdates(serial, updates),
        (error: unknown) => logFailure(error),
      )
      send({ type: 'start_answered', at: Date.now() })
      await client.refetchQueries(statusesOf(serial))
      return refused ?? null
    },
  })

  async function leave(event: WizardEvent) {
    send(event)
    // Otherwise the link would choose the system again.
    await goTo(null)
    page.reload()
  }

  /** Only possible before the battery has begun; otherwise the update stays on screen. */
  const withdraw = useMutation({
    mutationFn: async (serial: string) => {
      try {
        await withdrawUpdate(serial)
      } catch (error) {
        if (logFailure(error)?.status === 409) send({ type: 'too_late_to_withdraw' })
        await client.refetchQueries(statusesOf(serial))
        return
      }
      await leave({ type: 'withdrawn', sn: serial })
    },
  })

  return {
    sn,
    step: wizard.step,
    /** An update of the chosen system, or its page, is open. */
    isOpen: sn !== null && (states[sn] !== undefined || wizard.step > 0),
    phase,
    status: answer?.status,
    /** The time of the last answer if the latest poll failed. */
    staleSince: answer?.error && answer.at > 0 ? answer.at : null,
    choose: (system: string) => {
      send({ type: 'choose', sn: system })
      void goTo(system)
    },
    go: (step: 0 | 1) => send({ type: 'go', step }),
    start: () => sn !== null && start.mutate(sn),
    /** The server's reason to refuse the start, until something else happens. */
    refusal: start.isPending || underWay || start.variables !== sn ? null : (start.data ?? null),
    withdraw: () => sn !== null && withdraw.mutate(sn),
    leave: () => sn !== null && void leave({ type: 'leave', sn }),
    end: () => sn !== null && void leave({ type: 'end', sn }),
    announced,
    acknowledge: () => send({ type: 'acknowledge' }),
  }
}

export type WizardControl = ReturnType<typeof useWizard>

/**
 * A failed start is only logged, because the next poll shows its result. A refusal has a sentence to show.
 */
function logFailure(error: unknown): ApiError | null {
  // biome-ignore lint/suspicious/noConsole: the specification wants it in the log and nowhere else
  console.warn('the update service did not take it', error)
  return error instanceof ApiError && error.status > 0 ? error : null
}
