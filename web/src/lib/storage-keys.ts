/** Keys of browser storage. Part of the specification: do not rename them. */
export const STORAGE = {
  access: 'access_token',
  refresh: 'refresh_token',
  role: 'role',
  darkMode: 'darkMode',
  language: 'language',
  updateStarted: 'updateStarted',
  updates: 'updates',
  logoutNotification: 'logoutNotification',
} as const

/** Cached settings of one device: `settings_` and its serial number. */
export const DEVICE_SETTINGS_PREFIX = 'settings_'

/** The visible columns of the fleet table; contains no personal data. */
export const FLEET_COLUMNS = 'fleet_columns'

/** The session store, in session storage. */
export const SESSION_STORE = 'session'

/** The database with the copy of the tokens. */
export const TOKEN_DATABASE = 'suncellar'

/** The database of the offline cache. Separate, so that neither waits for the other's upgrade. */
export const OFFLINE_CACHE_DATABASE = 'suncellar-answers'
