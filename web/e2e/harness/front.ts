/** A proxy before the real server: it can bring out a new version of the service worker, and it can go away. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export class Front {
  url = ''
  private newVersion = ''
  private readonly server = createServer((incoming, outgoing) => this.pass(incoming, outgoing))

  private constructor(private readonly target: string) {}

  static async before(target: string): Promise<Front> {
    const front = new Front(target)
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
    const isWorker = incoming.url === '/sw.js'
    const headers = { ...incoming.headers }
    // Its text is added to, so it must come whole and as text.
    if (isWorker) for (const name of ['accept-encoding', 'if-none-match']) delete headers[name]
    const options = { method: incoming.method, headers }
    const passed = request(new URL(incoming.url ?? '/', this.target), options, (answer) => {
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
