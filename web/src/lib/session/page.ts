/** Reload and navigation of the session, in one place that tests can stub. */
export const page = {
  reload: () => location.reload(),
  goTo: (path: string) => location.assign(path),
}
