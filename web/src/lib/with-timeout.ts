/** What comes of some work, or `otherwise` when it takes too long. The work itself goes on. */
export function withTimeout<T>(work: Promise<T>, timeout: number, otherwise: T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), timeout)
  })
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer))
}
