import {
  createRootRoute,
  createRoute,
  createRouter,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router'
import { readCalendarSearch } from '@/features/calendar/model/search'
import type { ChartSearch } from '@/features/charts/model/choice'
import type { FleetSearch } from '@/features/fleet/model/search'
import { logOut } from '@/lib/session/log-out'
import { useSession } from '@/lib/session/session-store'
import { isAuthenticated, readRole } from '@/lib/session/tokens'
import { noteFirstPage } from '@/lib/session/wanted-page'
import { Failure, FailurePage } from './failure-page'
import { guard } from './guard'
import { lazyPage } from './lazy-page'
import { NotFoundPage } from './not-found-page'
import type { SettingsSearch } from './pages/settings-search'
import { Root } from './root'

const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFoundPage,
  errorComponent: FailurePage,
  beforeLoad: ({ location }) => {
    const { limitedAccess } = useSession.getState()
    // Another tab may have logged in meanwhile.
    const role = readRole()
    if (role !== useSession.getState().role) useSession.setState({ role })
    const visitor = { authenticated: isAuthenticated(), role, limited: limitedAccess !== null }
    const to = guard(location.pathname, visitor, location.hash)
    // A secret of a mailed link is used up at the login.
    const isPage = location.pathname !== '/' && !location.hash.includes('=')
    noteFirstPage(to !== null && !visitor.authenticated && isPage ? location.href : null)
    // A mailed link has its secret in the fragment; redirects must keep it.
    if (to) throw redirect({ to, hash: location.hash, replace: true })
  },
})

/** Never rendered: the guard always redirects. */
const home = createRoute({ getParentRoute: () => root, path: '/' })

const logout = createRoute({
  getParentRoute: () => root,
  path: '/logout',
  beforeLoad: async ({ preload }) => {
    if (preload) return
    await logOut()
    throw redirect({ to: '/login', replace: true })
  },
})

const auth = createRoute({
  getParentRoute: () => root,
  id: 'auth',
  errorComponent: FailurePage,
  component: lazyPage(() => import('./auth-layout/auth-layout'), 'AuthLayout'),
})
const authPages = [
  createRoute({
    getParentRoute: () => auth,
    path: '/login',
    staticData: { title: 'page.login' },
    component: lazyPage(() => import('@/features/auth/login-page'), 'LoginPage'),
  }),
  createRoute({
    getParentRoute: () => auth,
    path: '/register',
    staticData: { title: 'page.register' },
    component: lazyPage(() => import('@/features/auth/register-page'), 'RegisterPage'),
  }),
  createRoute({
    getParentRoute: () => auth,
    path: '/login_cleverpv',
    staticData: { title: 'page.partner' },
    component: lazyPage(() => import('@/features/auth/partner-login-page'), 'PartnerLoginPage'),
  }),
  createRoute({
    getParentRoute: () => auth,
    path: '/lock',
    staticData: { title: 'page.lock' },
    component: lazyPage(() => import('@/features/auth/lock-page'), 'LockPage'),
  }),
  createRoute({
    getParentRoute: () => auth,
    path: '/password_reset',
    staticData: { title: 'page.password_reset' },
    component: lazyPage(() => import('@/features/auth/password-reset-page'), 'PasswordResetPage'),
  }),
  createRoute({
    getParentRoute: () => auth,
    path: '/join',
    staticData: { title: 'page.join' },
    component: lazyPage(() => import('@/features/auth/join-page'), 'JoinPage'),
  }),
  createRoute({
    getParentRoute: () => auth,
    path: '/connect',
    staticData: { title: 'page.connect' },
    component: lazyPage(() => import('@/features/auth/connect-page'), 'ConnectPage'),
  }),
  createRoute({
    getParentRoute: () => auth,
    path: '/enrol',
    staticData: { title: 'page.login' },
    component: lazyPage(() => import('@/features/auth/enrol-page'), 'EnrolPage'),
  }),
] as const

/** Validated by the chart itself, so that its rules are not loaded before the first chart. */
const chartSearch = (search: Record<string, unknown>) => search as ChartSearch

/** A system of the fleet: its chart, and the serial number of a just replaced unit. */
const fleetSystemSearch = (search: Record<string, unknown>) => search as ChartSearch & { replaced?: string }

/** Validated by the parts of the page. */
const settingsSearch = (search: Record<string, unknown>) => search as SettingsSearch

/** The bell and the plan card link to a system; the page checks whether it has an update. */
const systemSearch = (search: Record<string, unknown>) => search as { sn?: string }

/** Validated by the fleet, whose rules owners never load. */
const fleetSearch = (search: Record<string, unknown>) => search as FleetSearch

const main = createRoute({
  getParentRoute: () => root,
  id: 'main',
  errorComponent: FailurePage,
  component: lazyPage(() => import('./main-layout/main-layout'), 'MainLayout'),
})
const mainPages = [
  createRoute({
    getParentRoute: () => main,
    path: '/dashboard',
    validateSearch: chartSearch,
    staticData: { title: 'nav.dashboard' },
    component: lazyPage(() => import('./pages/dashboard'), 'Dashboard'),
  }),
  createRoute({
    getParentRoute: () => main,
    path: '/electrician-dashboard',
    validateSearch: fleetSearch,
    staticData: { title: 'nav.fleet' },
    component: lazyPage(() => import('./pages/fleet'), 'Fleet'),
  }),
  createRoute({
    getParentRoute: () => main,
    path: '/electrician-dashboard/$sn',
    validateSearch: fleetSystemSearch,
    staticData: { title: 'nav.fleet' },
    component: lazyPage(() => import('./pages/system'), 'System'),
  }),
  createRoute({
    getParentRoute: () => main,
    path: '/electrician-dashboard/$sn/commissioning',
    staticData: { title: 'nav.fleet' },
    component: lazyPage(() => import('./pages/settings'), 'Commissioning'),
  }),
  createRoute({
    getParentRoute: () => main,
    path: '/protocol/$id',
    staticData: { title: 'nav.fleet' },
    component: lazyPage(() => import('./pages/settings'), 'Protocol'),
  }),
  createRoute({
    getParentRoute: () => main,
    path: '/calendar',
    validateSearch: readCalendarSearch,
    staticData: { title: 'calendar.title' },
    component: lazyPage(() => import('./pages/calendar'), 'Calendar'),
  }),
  createRoute({
    getParentRoute: () => main,
    path: '/charts',
    validateSearch: chartSearch,
    staticData: { title: 'charts.title' },
    component: lazyPage(() => import('./pages/charts'), 'Charts'),
  }),
  createRoute({
    getParentRoute: () => main,
    path: '/alarms',
    staticData: { title: 'nav.alarms' },
    component: lazyPage(() => import('./pages/alarms'), 'Alarms'),
  }),
  createRoute({
    getParentRoute: () => main,
    path: '/plan',
    validateSearch: systemSearch,
    staticData: { title: 'plan.title' },
    component: lazyPage(() => import('./pages/plan'), 'ChargePlan'),
  }),
  createRoute({
    getParentRoute: () => main,
    path: '/update',
    validateSearch: systemSearch,
    staticData: { title: 'nav.update' },
    component: lazyPage(() => import('./pages/update'), 'Update'),
  }),
  createRoute({
    getParentRoute: () => main,
    path: '/settings',
    validateSearch: settingsSearch,
    staticData: { title: 'nav.settings' },
    component: lazyPage(() => import('./pages/settings'), 'Settings'),
  }),
  createRoute({
    getParentRoute: () => main,
    path: '/electrician-settings',
    validateSearch: settingsSearch,
    staticData: { title: 'nav.settings' },
    component: lazyPage(() => import('./pages/settings'), 'Settings'),
  }),
] as const

const routeTree = root.addChildren([home, logout, auth.addChildren(authPages), main.addChildren(mainPages)])

/** Tests pass their own history. */
export const makeRouter = (options: { history?: RouterHistory } = {}) =>
  createRouter({
    routeTree,
    defaultErrorComponent: Failure,
    defaultPreload: 'intent',
    scrollRestoration: true,
    ...options,
  })

export const router = makeRouter()

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
