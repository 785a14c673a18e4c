// Adds the binaries of other platforms to package-lock.json. If the registry carries only its own platform's
// binaries, npm omits the others, and `npm ci` then rejects the lockfile. Run `npm run lockfile` after `npm
// install`. Integrity values come from the registry. Packages that it lacks stay without one;
// scripts/check-lockfiles then refuses to install on that platform.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'

const target = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(await readFile(target, 'utf8'))

const SYSTEMS = /\b(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)\b/
const PROCESSORS = /\b(arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|wasm32|x64)\b/

/** The platform of a package, from its name: `…-linux-x64-musl`. */
function platform(name) {
  if (name === 'fsevents') return { os: ['darwin'] }
  const os = name.match(SYSTEMS)?.[1]
  const cpu = name.match(PROCESSORS)?.[1]
  if (!os && !cpu) return null
  const libc = os === 'linux' ? name.match(/(musl|gnu)/)?.[1] : undefined
  return {
    ...(cpu && { cpu: [cpu] }),
    ...(libc && { libc: [libc === 'gnu' ? 'glibc' : 'musl'] }),
    ...(os && { os: [os] }),
  }
}

/** The directories in which npm looks for a dependency of `parent`: beside it first, then upwards. */
function* places(parent, name) {
  for (let at = parent; ; ) {
    yield at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`
    if (at === '') return
    at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))
  }
}

let added = 0
for (const [parent, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const candidates = [...places(parent, name)]
    const known = candidates.some((place) => lock.packages[place])
    const limits = platform(name)
    if (known || !limits) continue
    const exact = version.replace(/^[~^]/, '')
    const flags = { ...(entry.dev && { dev: true }), optional: true }
    lock.packages[candidates.at(-1)] = { version: exact, ...flags, ...limits }
    added++
  }
}

/** A package's checksum in the registry; none if the registry lacks it. */
function integrity(place, version) {
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return new Promise((resolve) => {
    execFile('npm', ['view', `${name}@${version}`, 'dist.integrity'], (error, text) =>
      resolve(error ? '' : text.trim()),
    )
  })
}

let unknown = 0
for (const [place, entry] of Object.entries(lock.packages)) {
  if (place === '' || entry.integrity) continue
  const known = await integrity(place, entry.version)
  if (!known) {
    unknown++
    continue
  }
  const { version, ...rest } = entry
  lock.packages[place] = { version, integrity: known, ...rest }
}

const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1))
lock.packages = Object.fromEntries(sorted)
await writeFile(target, `${JSON.stringify(lock, null, 2)}\n`)
console.log(
  `package-lock.json: ${added} packages of other platforms added, ${unknown} without a known integrity`,
)
