/** What happened to systems, and who did it. */
export const allJournals = { queryKey: ['journal'] } as const
