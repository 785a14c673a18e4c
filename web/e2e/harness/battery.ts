/** A battery outside the server's own demo fleet, which a test can hold by the plug. */
import { type ChildProcess, spawn } from 'node:child_process'
import { BINARY } from './server.ts'

export class Battery {
  private constructor(private readonly child: ChildProcess) {}

  /**
   * @param secrets what `admin import-devices` printed when its serial number was registered
   * @param units how many of the batteries that it names
   */
  static connect(gateway: string, secrets: string, units: number): Battery {
    const options = [
      '--gateway',
      gateway,
      '--secrets',
      secrets,
      '--systems',
      String(units),
      '--interval',
      '1',
    ]
    return new Battery(spawn(BINARY, ['simulate', ...options], { stdio: 'ignore' }))
  }

  /** Nothing more comes from it, although its connection stays open: the worst way to go. */
  fallSilent() {
    this.child.kill('SIGSTOP')
  }

  speakAgain() {
    this.child.kill('SIGCONT')
  }

  async unplug() {
    if (this.child.signalCode !== null) return
    const gone = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.kill('SIGKILL')
    await gone
  }
}
