/**
 * Drives Firefox, and WebKit, the engine of every browser on an iPhone. Playwright cannot drive Debian's
 * packages, so this speaks WebDriver directly: over HTTP to WebKit's driver, over Marionette's socket to
 * Firefox, which needs no driver.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findProgram } from './programs.ts'

export const ENGINES = ['firefox', 'webkit'] as const
export type Engine = (typeof ENGINES)[number]

/** Programs on the PATH. */
const PROGRAMS: Record<Engine, string[]> = {
  firefox: ['firefox-esr'],
  webkit: ['WebKitWebDriver', 'Xvfb'],
}

/** The missing programs. */
export const missingFor = (engine: Engine) =>
  PROGRAMS[engine].filter((name) => findProgram(name) === undefined)

/** WebDriver's commands by Marionette's names, with their HTTP paths. */
const PATHS = {
  'WebDriver:Navigate': 'url',
  'WebDriver:Refresh': 'refresh',
  'WebDriver:ExecuteScript': 'execute/sync',
  'WebDriver:ElementClear': 'element/ID/clear',
  'WebDriver:ElementClick': 'element/ID/click',
  'WebDriver:ElementSendKeys': 'element/ID/value',
} as const

/** The timeout for starting a browser, on a busy machine. */
const START_LIMIT = 30_000

export type Driver = {
  send: (command: keyof typeof PATHS, fields?: Record<string, unknown>) => Promise<unknown>
  close: () => Promise<void>
}

/** @param language the machine's locale, which WebKit uses for its pages */
export const launch = (engine: Engine, language = 'en_US.UTF-8'): Promise<Driver> =>
  engine === 'firefox' ? launchFirefox() : launchWebkit(language)

async function launchFirefox(): Promise<Driver> {
  const profile = await mkdtemp(join(tmpdir(), 'suncellar-firefox-'))
  // A free port, which it writes into its profile.
  await writeFile(join(profile, 'user.js'), 'user_pref("marionette.port", 0);\n')
  const browser = spawn('firefox-esr', ['--headless', '--no-remote', '--marionette', '--profile', profile], {
    stdio: 'ignore',
    env: { ...process.env, TZ: 'Europe/Berlin' },
  })
  const close = async () => {
    await end(browser)
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const port = await until(async () =>
      Number(await readFile(join(profile, 'MarionetteActivePort'), 'utf8')),
    )
    const socket = connect(port, '127.0.0.1')
    const call = marionette(socket)
    await once(socket, 'connect')
    await call('WebDriver:NewSession', {})
    return {
      send: async (command, fields = {}) => {
        const answer = (await call(command, fields)) as { value?: unknown } | null
        return answer?.value
      },
      close: async () => {
        socket.destroy()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Marionette's messages are `length:[0, id, command, fields]` and `length:[1, id, error, result]`; the first
 * one is a greeting.
 */
function marionette(socket: Socket) {
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  let received = Buffer.alloc(0)
  let last = 0
  socket.on('data', (piece) => {
    received = Buffer.concat([received, piece as Buffer])
    for (;;) {
      const colon = received.indexOf(':')
      const end = colon + 1 + Number(received.subarray(0, Math.max(colon, 0)))
      if (colon < 0 || received.length < end) return
      const message = JSON.parse(received.subarray(colon + 1, end).toString()) as unknown
      received = received.subarray(end)
      if (!Array.isArray(message)) continue
      const [, id, error, result] = message as [number, number, { message: string } | null, unknown]
      const call = waiting.get(id)
      waiting.delete(id)
      if (error) call?.reject(new Error(error.message))
      else call?.resolve(result)
    }
  })
  return (command: string, fields: Record<string, unknown>) =>
    new Promise<unknown>((resolve, reject) => {
      last += 1
      waiting.set(last, { resolve, reject })
      const message = JSON.stringify([0, last, command, fields])
      socket.write(`${Buffer.byteLength(message)}:${message}`)
    })
}

async function launchWebkit(language: string): Promise<Driver> {
  const screen = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const started: ChildProcess[] = [screen]
  const close = async () => {
    for (const one of started.reverse()) await end(one)
  }
  try {
    const [display] = (await once(screen.stdout, 'data')) as [Buffer]
    const port = await freePort()
    const driver = spawn('WebKitWebDriver', [`--port=${port}`], {
      stdio: 'ignore',
      env: {
        ...process.env,
        DISPLAY: `:${String(display).trim()}`,
        LANG: language,
        TZ: 'Europe/Berlin',
      },
    })
    started.push(driver)
    const base = `http://127.0.0.1:${port}`
    await until(() => fetch(`${base}/status`))
    const { sessionId } = (await http(`${base}/session`, { capabilities: {} })) as { sessionId: string }
    const session = `${base}/session/${sessionId}`
    return {
      send: (command, fields = {}) =>
        http(`${session}/${PATHS[command].replace('ID', String(fields.id))}`, fields),
      close: async () => {
        await fetch(session, { method: 'DELETE' }).catch(() => undefined)
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function http(url: string, fields: Record<string, unknown>): Promise<unknown> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(fields) })
  const { value } = (await answer.json()) as { value: unknown }
  if (!answer.ok) throw new Error(JSON.stringify(value))
  return value
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

/** Retries until the attempt succeeds, and returns its result. */
async function until<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + START_LIMIT
  for (;;)
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await wait(50)
    }
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill()
  await gone
}
