/** The real binary with its own database, and what happens outside the browser. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Battery } from './battery.ts'

export const BINARY =
  process.env.SUNCELLAR_TEST_BINARY ?? new URL('../../../target/debug/suncellar', import.meta.url).pathname

/** The password of the demo's accounts and of those that tests create. */
export const PASSWORD = 'Sonnenschein-1!'

export type Mail = { to: string; subject: string; text: string; at: number }
export type Site = { code: string; serials: string[] }
export type Account = { email: string; password: string; role: 'user' | 'electrician' }
export type Owner = Account & Site
export type Partner = { id: string; name: string; redirect: string }

const run = promisify(execFile)

export class Server {
  private sites = 0
  private accounts = 0
  private addresses = 0
  private partners = 0
  private passed = 0

  private constructor(
    readonly url: string,
    private readonly folder: string,
    private child: ChildProcess,
    private readonly log: string[],
    private readonly options: string[],
  ) {}

  /**
   * @param history days of the batteries' history @param chosen further options of the operator @param
   * startsAt the start in Berlin time; now if null
   */
  static async start(
    history: number,
    chosen: string[] = [],
    startsAt: string | null = null,
  ): Promise<Server> {
    const folder = await mkdtemp(join(tmpdir(), 'suncellar-e2e-'))
    const clock = startsAt === null ? [] : ['--starts-at', startsAt]
    const options = [
      '--data-dir',
      folder,
      '--trusted-proxy',
      '127.0.0.1',
      '--switch-after',
      '0',
      '--systems',
      'small',
      '--part-takes',
      '8',
      '--history',
      String(history),
      ...clock,
      ...chosen,
    ]
    const log: string[] = []
    const { child, url } = await launch('127.0.0.1:0', options, log)
    const server = new Server(url, folder, child, log, options)
    if (startsAt !== null) await server.readClock()
    return server
  }

  async stop() {
    await this.end('SIGTERM')
    await rm(this.folder, { recursive: true, force: true })
  }

  /** Kills the process at once. */
  async kill() {
    await this.end('SIGKILL')
  }

  /** Restarts after {@link kill} with the same address and data. */
  async startAgain() {
    const address = `127.0.0.1:${new URL(this.url).port}`
    this.child = (await launch(address, this.options, this.log)).child
  }

  private async end(signal: 'SIGTERM' | 'SIGKILL') {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const gone = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.kill(signal)
    await gone
  }

  /** The server's output, for failed tests. */
  get output() {
    return this.log.join('')
  }

  /** A new client address, so that limits per address never couple two tests. */
  freshAddress(): string {
    const n = ++this.addresses
    return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
  }

  /** Unowned systems with the registration code from their box. */
  async newSite(units = 1): Promise<Site> {
    const serials = await this.newUnits(units)
    return { code: await this.registrationCode(...serials), serials }
  }

  /** An unowned system whose code is lost: it can only be claimed. */
  async newUnit(): Promise<string> {
    const [sn = ''] = await this.newUnits(1)
    return sn
  }

  /** A new registration code for these systems, issued by the operator. */
  async registrationCode(...serials: string[]): Promise<string> {
    return (await this.admin('issue-code', 'registration', ...serials)).trim()
  }

  private async newUnits(units: number): Promise<string[]> {
    const site = String(++this.sites).padStart(4, '0')
    const serials = Array.from({ length: units }, (_, unit) => `E2E${site}${unit + 1}`)
    const file = join(this.folder, `site-${site}.csv`)
    const rows = serials.map((sn, unit) => `${sn},${(unit % 3) + 1},`)
    await writeFile(file, `${['sn,phase,secret', ...rows].join('\n')}\n`)
    await writeFile(this.secretsOf(serials), await this.admin('import-devices', file))
    return serials
  }

  private secretsOf = ([first]: string[]) => join(this.folder, `secrets-${first}.csv`)

  /** An installer code that gives an electrician access to unowned systems. */
  async installerCode(...serials: string[]): Promise<string> {
    return (await this.admin('issue-code', 'installer', ...serials)).trim()
  }

  /** Connects or disconnects a demo battery. */
  async plug(sn: string, on: boolean) {
    await this.post('/demo/power/', { sn, on: on ? '1' : '0' }, 204)
  }

  /** Switches a kettle on a phase of a demo house on or off. */
  async kettle(sn: string, phase: number, on: boolean) {
    await this.post('/demo/appliance/', { sn, phase: String(phase), on: on ? '1' : '0' }, 204)
  }

  /** The batteries of a site, or the first few, connect as after their installation. */
  connectBattery({ serials }: Site, units = serials.length): Battery {
    const [, gateway = ''] = this.output.match(/batteries can connect.*?(127\.0\.0\.1:\d+)/) ?? []
    return Battery.connect(gateway, this.secretsOf(serials), units)
  }

  /** Registers a partner app, with the demo's page as redirect. */
  async newPartner(name: string): Promise<Partner> {
    const partner = { id: `app-${++this.partners}`, name, redirect: `${this.url}/demo/partner/` }
    await this.admin('register-partner', '--id', partner.id, '--name', name, '--redirect', partner.redirect)
    return partner
  }

  /** An owner who has registered with a site's code and not logged in yet. */
  async newOwner(units = 1): Promise<Owner> {
    const site = await this.newSite(units)
    const account = this.nextAccount('user')
    await this.registerByApi(account, { sn1: site.code }, 201)
    return { ...account, ...site }
  }

  async newElectrician(company = 'Elektro Blitz'): Promise<Account> {
    const account = this.nextAccount('electrician')
    await this.registerByApi(account, { company }, 202)
    await this.confirmRegistration(account.email)
    return account
  }

  /** An owner whose claim waits for the main switch. */
  async newWaitingOwner(serial: string): Promise<Account> {
    const account = this.nextAccount('user')
    await this.registerByApi(account, { sn1: serial }, 202)
    await this.confirmRegistration(account.email)
    return account
  }

  nextAccount(role: Account['role']): Account {
    return { email: `person-${++this.accounts}@example.org`, password: PASSWORD, role }
  }

  private async registerByApi(
    { email, password, role }: Account,
    fields: Record<string, string>,
    status: number,
  ) {
    const body = {
      email,
      password,
      password2: password,
      phone: '+49 30 901820',
      country: 'DE',
      role,
      terms: 'true',
    }
    await this.post('/api/auth/register/', { ...body, ...fields }, status)
  }

  private async confirmRegistration(email: string) {
    const link = await this.linkMailedTo(email)
    await this.post('/api/auth/register/confirm/', { token: link.split('#confirm=')[1] ?? '' }, 200)
  }

  /** Logs in without a browser and returns the tokens. */
  async logIn({
    email,
    password,
    role,
  }: Account): Promise<{ access: string; refresh: string; role: string }> {
    const electrician = String(role === 'electrician')
    const login = { email, password, electrician, stayLoggedIn: 'false' }
    const send = () => this.send('/api/auth/token/', login)
    let answer = await send()
    // Tests log in with the demo's accounts more often than the server's limit allows, so they wait for
    // Retry-After.
    while (answer.status === 429) {
      await wait(Number(answer.headers.get('retry-after')) * 1_000)
      answer = await send()
    }
    await expectStatus(answer, '/api/auth/token/', 200)
    return (await answer.json()) as { access: string; refresh: string; role: string }
  }

  async mails(to: string): Promise<Mail[]> {
    const answer = await fetch(`${this.url}/demo/mail.json`)
    return ((await answer.json()) as Mail[]).filter((mail) => mail.to === to)
  }

  /** The link in the newest mail to this address; waits for it. */
  async linkMailedTo(email: string, part = '#'): Promise<string> {
    const deadline = Date.now() + 10_000
    while (Date.now() < deadline) {
      const links = (await this.mails(email)).flatMap(({ text }) => text.match(/https?:\/\/\S+/g) ?? [])
      const link = links.find((candidate) => candidate.includes(part))
      if (link) return link
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`no mail with a link came to ${email}`)
  }

  /** Performs the claim's pattern at a demo battery's main switch. */
  async turnSwitch(sn: string) {
    await this.post('/demo/switch/', { sn }, 204)
  }

  /** Server time. */
  get now(): number {
    return Date.now() + this.passed
  }

  private async readClock() {
    const { headers } = await fetch(`${this.url}/config.json`)
    this.passed = Date.parse(headers.get('date') ?? '') - Date.now()
  }

  /** Advances the server's clock. */
  async passMinutes(minutes: number) {
    await this.passSeconds(minutes * 60)
  }

  async passSeconds(seconds: number) {
    this.passed += seconds * 1_000
    await this.post('/demo/clock/', { advance_ms: String(seconds * 1_000) }, 204)
  }

  async post(
    path: string,
    fields: Record<string, string>,
    status: number,
    headers: Record<string, string> = {},
  ) {
    const answer = await this.send(path, fields, headers)
    await expectStatus(answer, path, status)
    return answer
  }

  private send(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    return fetch(this.url + path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { 'X-Forwarded-For': this.freshAddress(), ...headers },
    })
  }

  /** A GET request of an account, outside the browser. */
  async get<T>(path: string, account: Account): Promise<T> {
    const { access } = await this.logIn(account)
    const answer = await fetch(this.url + path, { headers: { Authorization: `Bearer ${access}` } })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as T
  }

  /** Runs the operator's command line beside the running server. */
  async admin(...args: string[]): Promise<string> {
    const env = { ...process.env, SUNCELLAR_SECRET_FILE: join(this.folder, 'demo-key') }
    const { stdout } = await run(BINARY, ['--data-dir', this.folder, 'admin', ...args], { env })
    return stdout
  }
}

/** Resolves when the server accepts connections; collects its output in the log. */
async function launch(listen: string, options: string[], log: string[]) {
  const addresses = ['--listen', listen, '--updates-listen', '127.0.0.1:0']
  const child = spawn(BINARY, ['demo', ...addresses, ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
  const printed: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      log.push(String(chunk))
      printed.push(String(chunk))
      const output = printed.join('')
      const address = output.match(/http:\/\/localhost:\d+/)
      if (address && output.includes('the portal listens')) resolve(address[0])
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`suncellar ended with ${code}:\n${printed.join('')}`)))
  })
  return { child, url }
}

async function expectStatus(answer: Response, path: string, status: number) {
  if (answer.status !== status) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
}
