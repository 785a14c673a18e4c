import { create } from 'zustand'
import { STORAGE } from './storage-keys'

export type Theme = 'dark' | 'light'

/** `--bg` of each theme, for the browser's bars via the meta element. */
const BAR_COLOUR: Record<Theme, string> = { dark: '#0b0f14', light: '#f4f6f9' }

type ThemeStore = { theme: Theme; setTheme: (theme: Theme) => void; toggle: () => void }

/** Dark by default. boot.js has already set the theme on the root element before the first paint. */
export const useTheme = create<ThemeStore>()((set, get) => ({
  theme: document.documentElement.dataset.theme === 'light' ? 'light' : 'dark',
  setTheme: (theme) => {
    document.documentElement.dataset.theme = theme
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', BAR_COLOUR[theme])
    localStorage.setItem(STORAGE.darkMode, String(theme === 'dark'))
    set({ theme })
  },
  toggle: () => get().setTheme(get().theme === 'dark' ? 'light' : 'dark'),
}))
