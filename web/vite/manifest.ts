import type { ManifestOptions } from 'vite-plugin-pwa'

/** Makes the portal installable. The guard redirects `start_url` to each role's dashboard. */
export const manifest: Partial<ManifestOptions> = {
  id: '/',
  name: 'Suncellar',
  short_name: 'Suncellar',
  description: 'Sonne, Speicher und Haus auf einen Blick.',
  lang: 'de',
  display: 'standalone',
  start_url: '/login',
  scope: '/',
  background_color: '#0b0f14',
  theme_color: '#0b0f14',
  icons: [
    { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    { src: '/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
}
