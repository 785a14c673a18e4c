/** A simulated battery outside the demo's own fleet, controlled by a test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { BINARY } from './server.ts'

export class Battery {
  private constructor(private readonly child: ChildProcess) {}

  /**
   * @param secrets the output of `admin import-devices` for its serial number @param units how many of its
   * batteries to start
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

  /** Stops sending without closing its connection: the worst kind of failure. */
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
