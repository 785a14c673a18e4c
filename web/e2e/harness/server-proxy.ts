/**
 * A proxy in front of the real server and its update service. It can release a new version of the service
 * worker, and it can go offline.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The server's configuration for the browser. */
type Config = { updates: string }

export class ServerProxy {
  url = ''
  private newVersion = ''
  private readonly server = createServer((incoming, outgoing) => this.pass(incoming, outgoing))

  private constructor(
    private readonly target: string,
    private readonly config: Config,
  ) {}

  static async before(target: string): Promise<ServerProxy> {
    const config = await fetch(`${target}/config.json`)
    const proxy = new ServerProxy(target, (await config.json()) as Config)
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve))
    proxy.url = `http://localhost:${(proxy.server.address() as AddressInfo).port}`
    return proxy
  }

  /** From now on the worker's script differs, as after a release. */
  releaseNewVersion() {
    this.newVersion += '\n// a new version'
  }

  /** Closes the proxy: the network is gone, also for the service worker. */
  async goOffline() {
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.server.closeAllConnections()
    await closed
  }

  /** Opens the proxy again at the same address. */
  async goOnline() {
    const { port } = new URL(this.url)
    await new Promise<void>((resolve) => this.server.listen(Number(port), '127.0.0.1', resolve))
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse) {
    // The update service accepts only the portal's own origin, so the proxy serves both.
    if (incoming.url === '/config.json') {
      outgoing.setHeader('content-type', 'application/json')
      outgoing.end(JSON.stringify({ ...this.config, updates: this.url }))
      return
    }
    const isWorker = incoming.url === '/sw.js'
    const headers = { ...incoming.headers }
    // The script is changed, so it has to come complete and uncompressed.
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
