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
import { isUnderWay, type News, type Phase, partsLeft, phaseOf, turnOf } from './model'
import type { Answer } from './use-statuses'

/** The update of the system that was chosen: how it fares, and what the person can do about it. */
export function useWizard(answer: Answer | undefined) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { sn, step, states } = useSession(({ update }) => update)
  const known = (sn !== null && states[sn]) || 'empty'
  const [news, setNews] = useState<News | null>(null)
  /** Answers from before this moment say nothing about what was just sent. */
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
    const turn = turnOf({ state: known, left }, status)
    last.current = { sn, left: partsLeft(status) }
    rememberState(sn, turn.state)
    if (isUnderWay(turn.state)) goToStep(1)
    if (turn.state === 'finished') goToStep(2)
    if (turn.news === 'interrupted') markInterrupted(sn)
    if (turn.news === 'cancelled') showCancelled(status.state === 'expired' ? 'expired' : 'withdrawn')
    else if (turn.news) setNews(turn.news)
    if (turn.news === 'finished' || turn.news === 'part_finished') {
      void client.invalidateQueries({ queryKey: systemsQuery.queryKey })
      void client.invalidateQueries({ queryKey: ['update-history'] })
    }
  }, [sn, fresh, status, answer?.at])

  const underWay = isUnderWay(phase)
  // Neither the update nor the word about its end is taken from the screen.
  const watched = underWay || (known !== 'empty' && isUnderWay(known)) || news !== null
  useEffect(() => (watched ? holdReload() : undefined), [watched])

  const leave = useCallback(async () => {
    // A link that had chosen the system must not choose it again.
    await navigate({ to: '.', search: {}, replace: true })
    page.reload()
  }, [navigate])

  /** Only what has not begun; one that has meanwhile stays on screen. */
  const withdraw = useMutation({
    mutationFn: async (serial: string) => {
      try {
        await withdrawUpdate(serial)
      } catch (error) {
        if (logFailure(error)?.status === 409) setNews('begun')
        await client.refetchQueries({ queryKey: ['update', serial] })
        return
      }
      clearWizard(serial)
      hideUpdate(serial)
      showCancelled('withdrawn')
      await leave()
    },
  })

  /** The update goes on. */
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
    /** When the newest answer came, if none has come at the last attempt. */
    staleSince: answer?.error && answer.at > 0 ? answer.at : null,
    start: () => sn !== null && start.mutate(sn),
    /** The server's reason not to start, as long as nothing else has happened. */
    refusal: start.isPending || underWay || start.variables !== sn ? null : (start.data ?? null),
    withdraw: () => sn !== null && withdraw.mutate(sn),
    leave: goAway,
    end,
    news,
    closeNews: () => setNews(null),
  }
}

export type Wizard = ReturnType<typeof useWizard>

/** An end that nobody here has waited for is a thing of the past; one that was announced stays until it is put away. */
function shownPhase(phase: Phase, known: string): Phase {
  if (phase !== 'finished' && phase !== 'empty') return phase
  return known === 'finished' || (phase === 'finished' && known !== 'empty') ? 'finished' : 'empty'
}

/** A start that fails is only logged; the next answer shows what became of it. A refusal has a sentence to be read. */
function logFailure(error: unknown): ApiError | null {
  // biome-ignore lint/suspicious/noConsole: the specification wants it in the log and nowhere else
  console.warn('the update service did not take it', error)
  return error instanceof ApiError && error.status > 0 ? error : null
}
