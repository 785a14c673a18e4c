import { useEffect } from 'react'
import { create } from 'zustand'

/** The systems on screen, separated by commas; undefined: all. */
const useStore = create<{ sn: string | undefined }>(() => ({ sn: undefined }))

export const useWatched = () => useStore(({ sn }) => sn)

/**
 * The page shows these systems only, separated by commas: of a fleet, only their batteries are asked to report
 * every 2 s. Undefined while they are not known.
 */
export function useWatch(sn: string | undefined) {
  useEffect(() => {
    useStore.setState({ sn })
    return () => useStore.setState({ sn: undefined })
  }, [sn])
}
