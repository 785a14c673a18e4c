/** Limits and durations of the product (specification, section 9). Durations in milliseconds. */

/** The timeout of a script chunk. */
export const CHUNK_LOAD_TIMEOUT = 120_000

/** The timeout of the browser's local databases and caches; some never answer. */
export const LOCAL_STORAGE_TIMEOUT = 500

/** The timeout of a token refresh. */
export const REFRESH_TIMEOUT = 10_000

/** Polling of update statuses while no system is selected: quickly at first, this many times … */
export const UPDATE_POLL_FIRST = 500
export const UPDATE_POLL_FIRST_TIMES = 5
/** … then slowly, as with a selected system. */
export const UPDATE_POLL = 3_000

/** Polling of waiting claims. */
export const CLAIM_POLL = 3_000

/** How long a claim waits for its main switch. */
export const CLAIM_LIFETIME = 30 * 60_000

/** Polling of live data. */
export const LIVE_REFRESH = 30_000

/** Events of the stream within this time are rendered together. */
export const LIVE_BATCH_INTERVAL = 250

/** Older readings are not live. */
export const LIVE_MAX_AGE = 90_000

/** Without any answer or event for this long nothing is live. */
export const LIVE_CONTACT = LIVE_REFRESH + 10_000

/** The event stream sends at least every 15 s; after this silence it is reconnected. */
export const LIVE_SILENCE = 45_000

/** Back-off between attempts to open the event stream. */
export const RECONNECT_FIRST = 1_000
export const RECONNECT_MAX = 30_000

/** The timeout of a request for live data. */
export const LIVE_TIMEOUT = 10_000

/** The offline cache saves new answers this often … */
export const OFFLINE_SAVE_INTERVAL = 5_000
/** … live data of more systems than this only when the page is left … */
export const MAX_ENTRIES_SAVED_LIVE = 200
/** … shows them for at most this long … */
export const OFFLINE_MAX_AGE = 7 * 86_400_000
/** … and keeps the last few charts, with at most a day of minutes. */
export const MAX_CACHED_CHARTS = 12
export const MAX_CACHED_POINTS = 1_500

/** Polling of settings and commands while a battery has not answered, in addition to the event stream. */
export const ANSWER_POLL = 3_000

/** Polling of charts whose period is not over. */
export const CHART_REFRESH = 60_000

/** Update progress in percent; `FAILED` means interrupted, above `DONE_ABOVE` counts as done. */
export const UPDATE_PROGRESS = { MIN: 0, MAX: 100, FAILED: -1, DONE_ABOVE: 99, SHOWN_AT_START: 5 } as const

/** Durations in the update wizard's hints, in the unit of the text. */
export const UPDATE_HINT = {
  WAIT_MINUTES: 2,
  SWITCH_ON_SECONDS: { MIN: 5, MAX: 10 },
  BREAKER_OFF_MINUTES: 2,
} as const

/** Steps of the update wizard: choose, run, finished. */
export const WIZARD_STEPS = 3

/** How long a page waits for the notices at its top, so that nothing moves later. */
export const NOTICE_TIMEOUT = 2_000

/** How long notifications and toasts are shown. */
export const NOTIFICATION_TIMEOUT = 5_000
export const TOAST_TIMEOUT = 2_000

/** Entries per page: message lists, journal, version table, groups. */
export const PAGE_SIZE = 10
export const PAGES_SHOWN = 5

/** Durations of animations; the styles of dialog and accordion have the same numbers. */
export const DIALOG_ANIMATION = 500
export const ACCORDION_ANIMATION = 250

/** Length of a password in characters. The maximum keeps hashing affordable. */
export const PASSWORD_MIN = 8
export const PASSWORD_MAX = 1_024

/** Keys per registration. */
export const REGISTRATION_KEYS_MAX = 3

/** Length of a group's name in characters. */
export const GROUP_NAME_MAX = 60

/** Bus address of a smart meter. */
export const METER_ADDRESS = { MIN: 1, MAX: 250 } as const
/** Addresses above this are reserved by the Modbus standard, but some meters use them. */
export const METER_ADDRESS_USUAL = 247

/** The shortest token of any electricity provider, in characters. */
export const TOKEN_MIN = 20

/**
 * Above this power the grid operator may throttle (§14a EnWG), which the owner has to acknowledge. In watts.
 */
export const THROTTLING_NOTICE_ABOVE = 4_200

/** The floating sidebar toggle appears after scrolling this many pixels. */
export const SIDEBAR_TOGGLE_SCROLL = 50
