/** The two ways in which the session leaves the page, in one place that a test can watch. */
export const page = {
  reload: () => location.reload(),
  goTo: (path: string) => location.assign(path),
}
