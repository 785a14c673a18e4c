/** A proxy before the real server and its update service: it can bring out a new version of the service worker, and it can go away. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the browser is told about the server. */
type Config = { updates: string }

export class Front {
  url = ''
  private newVersion = ''
  private readonly server = createServer((incoming, outgoing) => this.pass(incoming, outgoing))

  private constructor(
    private readonly target: string,
    private readonly config: Config,
  ) {}

  static async before(target: string): Promise<Front> {
    const config = await fetch(`${target}/config.json`)
    const front = new Front(target, (await config.json()) as Config)
    await new Promise<void>((resolve) => front.server.listen(0, '127.0.0.1', resolve))
    front.url = `http://localhost:${(front.server.address() as AddressInfo).port}`
    return front
  }

  /** From now on the worker's script differs, as after an update of the product. */
  bringOutNewVersion() {
    this.newVersion += '\n// a new version'
  }

  /** No answer to anybody any more: the network is gone, for the service worker as well. */
  async goAway() {
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.server.closeAllConnections()
    await closed
  }

  /** There again, at the same address. */
  async comeBack() {
    const { port } = new URL(this.url)
    await new Promise<void>((resolve) => this.server.listen(Number(port), '127.0.0.1', resolve))
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse) {
    // The update service answers the portal's own origin alone: it is behind this one as well.
    if (incoming.url === '/config.json') {
      outgoing.setHeader('content-type', 'application/json')
      outgoing.end(JSON.stringify({ ...this.config, updates: this.url }))
      return
    }
    const isWorker = incoming.url === '/sw.js'
    const headers = { ...incoming.headers }
    // Its text is added to, so it must come whole and as text.
    if (isWorker) for (const name of ['accept-encoding', 'if-none-match']) delete headers[name]
    const options = { method: incoming.method, headers }
    const target = incoming.url?.startsWith('/api/v1/') ? this.config.updates : this.target
    const passed = request(new URL(incoming.url ?? '/', target), options, (answer) => {
      const answered = { ...answer.headers }
      if (isWorker) for (const name of ['content-length', 'etag']) delete answered[name]
      outgoing.writeHead(answer.statusCode ?? 502, answered)
      answer.pipe(outgoing, { end: !isWorker })
      if (isWorker) answer.on('end', () => outgoing.end(this.newVersion))
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  }
}
