import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSession } from '@/lib/session/session-store'
import { bringBackStarted, chooseSystem, clearWizard } from './memory'
import { isListed, isUnderWay, linkedSystem, phaseOf } from './model'
import type { Answer } from './use-statuses'

/** The address says which system was chosen, so that a link can choose one. */
export function useChoose() {
  const navigate = useNavigate()
  return (sn: string | null) => {
    chooseSystem(sn)
    void navigate({ to: '.', search: sn === null ? {} : { sn }, replace: true })
  }
}

/**
 * What chooses a system without being asked: a link, an update that this browser has started, one that runs somewhere, or
 * that there is only one.
 */
export function useChosenSystem(serials: readonly string[] | undefined, answers: readonly Answer[]) {
  const { sn, states, hidden } = useSession(({ update }) => update)
  const linked = useSearch({ strict: false, select: linkedSystem })
  const choose = useChoose()

  useEffect(bringBackStarted, [])

  useEffect(() => {
    const { sn: chosen } = useSession.getState().update
    if (linked !== null && linked !== chosen && serials?.includes(linked)) chooseSystem(linked)
  }, [linked, serials])

  const running = answers.find(
    ({ sn: other, status }) => status && isUnderWay(phaseOf(status)) && !hidden.includes(other),
  )?.sn
  useEffect(() => {
    if (sn === null && running !== undefined) chooseSystem(running)
  }, [sn, running])

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
