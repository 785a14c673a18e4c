import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useSession } from '@/lib/session/session-store'
import { chooseSystem, clearWizard, forgetCancelled, restoreStarted } from './memory'
import { isListed, isUnderWay, linkedSystem, phaseOf } from './model'
import type { Answer } from './use-statuses'

/** The chosen system is kept in the address, so that links can choose one. */
export function useChoose() {
  const navigate = useNavigate()
  return (sn: string | null) => {
    chooseSystem(sn)
    void navigate({ to: '.', search: sn === null ? {} : { sn }, replace: true })
  }
}

type Known = {
  serials: readonly string[] | undefined
  answers: readonly Answer[]
  /** Systems with an open update according to the live data; undefined before these have loaded. */
  jobs: readonly string[] | undefined
}

/**
 * Chooses a system automatically: by link, by this browser's last start, by a running update, or because
 * there is only one. Of several updates the person chooses.
 */
export function useChosenSystem({ serials, answers, jobs }: Known) {
  const { sn, states, hidden } = useSession(({ update }) => update)
  const linked = useSearch({ strict: false, select: linkedSystem })
  const choose = useChoose()

  useEffect(restoreStarted, [])
  useEffect(forgetCancelled, [])

  useEffect(() => {
    const { sn: chosen } = useSession.getState().update
    if (linked !== null && linked !== chosen && serials?.includes(linked)) chooseSystem(linked)
  }, [linked, serials])

  const underWay = answers.filter(({ status }) => status && isUnderWay(phaseOf(status)))
  const several = underWay.length > 1 || (jobs !== undefined && jobs.length > 1)
  // Once the list was shown, it stays, even if one system is left.
  const offered = useRef(false)
  if (several) offered.current = true

  // An address without a system asks for the list, even if this or an earlier tab has shown a system.
  const visited = useRef<string | null>(undefined)
  useEffect(() => {
    if (jobs === undefined || visited.current === linked) return
    visited.current = linked
    if (several && linked === null) chooseSystem(null)
  }, [jobs, several, linked])

  const settled = answers.every(({ status, error }) => status || error)
  const running = settled && !offered.current ? underWay[0]?.sn : undefined
  const shown = running !== undefined && !hidden.includes(running) ? running : undefined
  useEffect(() => {
    if (sn === null && shown !== undefined) chooseSystem(shown)
  }, [sn, shown])

  const [only] = answers
  const alone = serials?.length === 1 && only?.status !== undefined && isListed(only.status)
  const onlyOne = alone && !hidden.includes(only.sn) ? only.sn : undefined
  useEffect(() => {
    if (sn === null && onlyOne !== undefined) chooseSystem(onlyOne)
  }, [sn, onlyOne])

  const gone = sn !== null && serials !== undefined && !serials.includes(sn)
  const answer = answers.find((candidate) => candidate.sn === sn)
  const idle = sn !== null && !states[sn] && answer?.status !== undefined && !isListed(answer.status)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the moment in which there is nothing left to choose
  useEffect(() => {
    if (gone) clearWizard(sn)
    if (gone || idle) choose(null)
  }, [gone, idle])
}
