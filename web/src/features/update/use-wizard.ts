import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '@/lib/api/errors'
import { systemsQuery } from '@/lib/api/queries'
import { holdReload } from '@/lib/hold-reload'
import { page } from '@/lib/session/page'
import { useSession } from '@/lib/session/session-store'
import { startUpdate, withdrawUpdate } from './api'
import {
  clearWizard,
  goToStep,
  hideUpdate,
  markInterrupted,
  rememberState,
  showCancelled,
  storeUpdates,
} from './memory'
import { isUnderWay, type Phase, partsLeft, phaseOf, transitionOf, type UpdateEvent } from './model'
import type { Answer } from './use-statuses'

/** The chosen system's update and its actions. */
export function useWizard(answer: Answer | undefined) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { sn, step, states } = useSession(({ update }) => update)
  const known = (sn !== null && states[sn]) || 'empty'
  const [event, setEvent] = useState<UpdateEvent | null>(null)
  /** Ignores statuses that were requested before the last form was sent. */
  const [sentAt, setSentAt] = useState(0)
  const last = useRef<{ sn: string; left: number } | null>(null)

  const start = useMutation({
    mutationFn: async (serial: string) => {
      showCancelled(null)
      rememberState(serial, 'waiting')
      const refused = await startUpdate(serial).then(
        ({ updates }) => storeUpdates(serial, updates),
        (error: unknown) => logFailure(error),
      )
      setSentAt(Date.now())
      await client.refetchQueries({ queryKey: ['update', serial] })
      return refused ?? null
    },
  })

  const status = answer?.status
  const fresh = status !== undefined && !start.isPending && answer !== undefined && answer.at >= sentAt
  const phase: Phase = fresh ? shownPhase(phaseOf(status), known) : known

  // biome-ignore lint/correctness/useExhaustiveDependencies: `at` stands for a new answer, even if it says the same
  useEffect(() => {
    if (sn === null || !fresh) return
    const left = last.current?.sn === sn ? last.current.left : null
    const transition = transitionOf({ state: known, left }, status)
    last.current = { sn, left: partsLeft(status) }
    rememberState(sn, transition.state)
    if (isUnderWay(transition.state)) goToStep(1)
    if (transition.state === 'finished') goToStep(2)
    if (transition.event === 'interrupted') markInterrupted(sn)
    if (transition.event === 'cancelled') showCancelled(status.state === 'expired' ? 'expired' : 'withdrawn')
    else if (transition.event) setEvent(transition.event)
    if (transition.event === 'finished' || transition.event === 'part_finished') {
      void client.invalidateQueries({ queryKey: systemsQuery.queryKey })
      void client.invalidateQueries({ queryKey: ['update-history'] })
    }
  }, [sn, fresh, status, answer?.at])

  const underWay = isUnderWay(phase)
  // Neither a running update nor the notice of its end may be lost in a reload.
  const watched = underWay || (known !== 'empty' && isUnderWay(known)) || event !== null
  useEffect(() => (watched ? holdReload() : undefined), [watched])

  const leave = useCallback(async () => {
    // Otherwise the link would choose the system again.
    await navigate({ to: '.', search: {}, replace: true })
    page.reload()
  }, [navigate])

  /** Only possible before the battery has begun; otherwise the update stays on screen. */
  const withdraw = useMutation({
    mutationFn: async (serial: string) => {
      try {
        await withdrawUpdate(serial)
      } catch (error) {
        if (logFailure(error)?.status === 409) setEvent('begun')
        await client.refetchQueries({ queryKey: ['update', serial] })
        return
      }
      clearWizard(serial)
      hideUpdate(serial)
      showCancelled('withdrawn')
      await leave()
    },
  })

  /** The update continues. */
  const goAway = () => {
    if (sn === null) return
    clearWizard(sn)
    hideUpdate(sn)
    void leave()
  }

  const end = () => {
    if (sn !== null) clearWizard(sn)
    void leave()
  }

  return {
    sn,
    step,
    phase,
    status,
    /** The time of the last answer if the latest poll failed. */
    staleSince: answer?.error && answer.at > 0 ? answer.at : null,
    start: () => sn !== null && start.mutate(sn),
    /** The server's reason to refuse the start, until something else happens. */
    refusal: start.isPending || underWay || start.variables !== sn ? null : (start.data ?? null),
    withdraw: () => sn !== null && withdraw.mutate(sn),
    leave: goAway,
    end,
    event,
    closeEvent: () => setEvent(null),
  }
}

export type Wizard = ReturnType<typeof useWizard>

/** An end that was not awaited here is history; an announced end stays until it is closed. */
function shownPhase(phase: Phase, known: string): Phase {
  if (phase !== 'finished' && phase !== 'empty') return phase
  return known === 'finished' || (phase === 'finished' && known !== 'empty') ? 'finished' : 'empty'
}

/**
 * A failed start is only logged, because the next poll shows its result. A refusal has a sentence to show.
 */
function logFailure(error: unknown): ApiError | null {
  // biome-ignore lint/suspicious/noConsole: the specification wants it in the log and nowhere else
  console.warn('the update service did not take it', error)
  return error instanceof ApiError && error.status > 0 ? error : null
}
