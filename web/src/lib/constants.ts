/** Every limit and duration of the product (specification, section 9), each named once. Durations in milliseconds. */

/** A script chunk that has not come after this long counts as failed. */
export const CHUNK_LOAD_TIMEOUT = 120_000

/** What this browser keeps (its local databases and caches) is waited for at most this long: some never answer. */
export const LOCAL_STORAGE_TIMEOUT = 500

/** A renewal of the session that takes longer will not come any more. */
export const REFRESH_TIMEOUT = 10_000

/** Update status while no system is selected: a quick look, this many times … */
export const UPDATE_POLL_FIRST = 500
export const UPDATE_POLL_FIRST_TIMES = 5
/** … and then, or with a system selected, a calm one. */
export const UPDATE_POLL = 3_000

/** How often the portal asks whether a waiting claim has been answered at the main switch. */
export const CLAIM_POLL = 3_000

/** How long a serial number waits for its main switch. */
export const CLAIM_LIFETIME = 30 * 60_000

/** Live data are read again this often. */
export const LIVE_REFRESH = 30_000

/** Events of the stream that follow each other faster than this are drawn together. */
export const LIVE_GATHER = 250

/** A reading that is older than this is no longer "now". */
export const LIVE_MAX_AGE = 90_000

/** Nothing has come from the portal for this long, neither by the stream nor by the refresh: nothing is live then. */
export const LIVE_CONTACT = LIVE_REFRESH + 10_000

/** The event stream says at least every 15 s that it lives; after this long it is dead and opened anew. */
export const LIVE_SILENCE = 45_000

/** Between two attempts to open the event stream: at first, and at most. */
export const RECONNECT_FIRST = 1_000
export const RECONNECT_MAX = 30_000

/** An answer to the question for live data that takes longer will not come any more. */
export const LIVE_TIMEOUT = 10_000

/** Answers that came are saved this often for a time without network … */
export const ANSWERS_SAVED_EVERY = 5_000
/** … live data of more systems than these only when the page is left … */
export const ENTRIES_SAVED_AT_ONCE = 200
/** … shown for at most this long … */
export const ANSWER_MAX_AGE = 7 * 86_400_000
/** … and of charts the last few, with at most a day by the minute. */
export const CHARTS_KEPT = 12
export const POINTS_KEPT = 1_500

/** While a battery has not answered yet, settings and commands are read again this often, beside the event stream. */
export const ANSWER_POLL = 3_000

/** Charts of a time that is not over yet are read again this often. */
export const CHART_REFRESH = 60_000

/** Update progress in percent; `FAILED` means interrupted, above `DONE_ABOVE` counts as done. */
export const UPDATE_PROGRESS = { MIN: 0, MAX: 100, FAILED: -1, DONE_ABOVE: 99, SHOWN_AT_START: 5 } as const

/** Hints of the update wizard: how long to wait, in the unit that the text speaks of. */
export const UPDATE_HINT = {
  WAIT_MINUTES: 2,
  SWITCH_ON_SECONDS: { MIN: 5, MAX: 10 },
  BREAKER_OFF_MINUTES: 2,
} as const

/** The update wizard: choose, run, finished. */
export const WIZARD_STEPS = 3

/** What stands above everything else on a page is waited for at most this long, so that nothing moves when it comes. */
export const NOTICE_TIMEOUT = 2_000

/** How long a notification stays, top right; a toast about something just done leaves sooner. */
export const NOTIFICATION_TIMEOUT = 5_000
export const TOAST_TIMEOUT = 2_000

/** Message lists, journal, version table, groups. */
export const PAGE_SIZE = 10
export const PAGES_SHOWN = 5

/** Motion; the same numbers stand in the styles of dialog and accordion. */
export const DIALOG_ANIMATION = 500
export const ACCORDION_ANIMATION = 250

/** Length of a password in characters. The upper end is no rule for people; it keeps hashing affordable. */
export const PASSWORD_MIN = 8
export const PASSWORD_MAX = 1_024

/** Serial numbers or registration codes that a registration may carry. */
export const REGISTRATION_KEYS_MAX = 3

/** Length of a group's name in characters. */
export const GROUP_NAME_MAX = 60

/** Bus address of a smart meter. */
export const METER_ADDRESS = { MIN: 1, MAX: 250 } as const
/** Above it the bus's own rules reserve addresses; some meters have one all the same. */
export const METER_ADDRESS_USUAL = 247

/** The shortest token that any electricity provider hands out, in characters. */
export const TOKEN_MIN = 20

/** Above this the grid operator may throttle (§14a EnWG) and the owner has to acknowledge it. In watts. */
export const THROTTLING_NOTICE_ABOVE = 4_200

/** The floating sidebar toggle appears after this many pixels of scroll. */
export const SIDEBAR_TOGGLE_SCROLL = 50
