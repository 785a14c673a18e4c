/** Names under which the browser keeps things. They are part of the specification: do not rename them. */
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

/** Which columns of the fleet an electrician wants to see in this browser; says nothing of anybody. */
export const FLEET_COLUMNS = 'fleet_columns'

/** The session store, in session storage. */
export const SESSION_STORE = 'session'

/** The local database that keeps the second copy of the tokens. */
export const DATABASE = 'suncellar'

/** The one that keeps the last answers of the server. Apart, so that neither waits for the other's new version. */
export const ANSWERS_DATABASE = 'suncellar-answers'
