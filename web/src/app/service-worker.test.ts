import { beforeEach, describe, expect, it, vi } from 'vitest'
import { holdReload } from '@/lib/hold-reload'
import { page } from '@/lib/session/page'
import { reloadOnNewVersion } from './service-worker'

/** A container in which tests activate a new worker. */
function container(controller: ServiceWorker | null) {
  const target = new EventTarget()
  const workers = Object.assign(target, { controller }) as unknown as ServiceWorkerContainer
  return { workers, takeOver: () => target.dispatchEvent(new Event('controllerchange')) }
}
const worker = {} as ServiceWorker

describe('a new service worker', () => {
  beforeEach(() => {
    vi.spyOn(page, 'reload').mockImplementation(() => undefined)
  })

  it('does not reload on the first visit, when there was none before', () => {
    const { workers, takeOver } = container(null)
    reloadOnNewVersion(workers)
    takeOver()
    expect(page.reload).not.toHaveBeenCalled()
  })

  it('reloads when it replaces an older one', () => {
    const { workers, takeOver } = container(worker)
    reloadOnNewVersion(workers)
    takeOver()
    expect(page.reload).toHaveBeenCalledTimes(1)
  })

  it('reloads when it comes later during a first visit', () => {
    const { workers, takeOver } = container(null)
    reloadOnNewVersion(workers)
    takeOver()
    takeOver()
    expect(page.reload).toHaveBeenCalledTimes(1)
  })

  it('never reloads in a loop', () => {
    for (let load = 0; load < 5; load += 1) {
      const { workers, takeOver } = container(worker)
      reloadOnNewVersion(workers)
      takeOver()
    }
    expect(page.reload).toHaveBeenCalledTimes(1)
  })

  it('waits until an update on screen is over, and then reloads once', () => {
    const { workers, takeOver } = container(worker)
    reloadOnNewVersion(workers)
    const [one, another] = [holdReload(), holdReload()]
    takeOver()
    takeOver()
    one()
    expect(page.reload).not.toHaveBeenCalled()
    another()
    expect(page.reload).toHaveBeenCalledTimes(1)
    holdReload()()
    expect(page.reload).toHaveBeenCalledTimes(1)
  })
})
