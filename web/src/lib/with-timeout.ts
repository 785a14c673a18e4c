/** Resolves with the work's result, or with `otherwise` after the timeout. The work continues. */
export function withTimeout<T>(work: Promise<T>, timeout: number, otherwise: T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), timeout)
  })
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer))
}
