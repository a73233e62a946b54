import { resolve } from 'node:path'
import * as Flags from '@oclif/core/flags'
import { SvcCommand } from '../base/svc-command.js'
import { onStopSignals } from '../dev/until-stopped.js'
import { clearReadyFile, withdrawFile } from '../files/ready-file.js'
import { readServeConfig, serveFlags } from '../serve/serve-flags.js'
import { writePrivateFile } from '../target/emulator-file.js'
import { ignoreClosedOutput } from '../terminal/closed-output.js'
import { prose } from '../terminal/prose.js'

export default class Serve extends SvcCommand {
  static override summary = 'Run one replica of the service on PostgreSQL and S3.'
  static override description =
    prose(`The same service as svc dev, with all state in PostgreSQL and a bucket. Each svc serve is one process and one replica: systemd,
Docker Compose or Kubernetes run as many as you want, and restart one that ends. Nothing that is for development comes along: no dashboard, no mailbox, no login provider, no
keys and no project before you make one. TLS is left to the balancer in front.

It needs SVC_DATABASE_URL, SVC_FILES_URL and SVC_SECRET, which svc serve keys makes. Each flag but --ready-file is also a variable: --public-url
is SVC_PUBLIC_URL. Secrets have files as well: SVC_SECRET_FILE names the file that holds SVC_SECRET.

SIGTERM and Ctrl-C let requests finish and hand streams over to other replicas; a second one ends it at once. Keys of S3
come from the environment, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`)
  static override examples = [
    '<%= config.bin %> serve --public-url https://api.example.com --admin-port 4401',
    '<%= config.bin %> serve --host 0.0.0.0 --trusted-proxies 1 --shutdown-delay 5s --json --ready-file ready.json',
  ]
  static override flags = {
    ...serveFlags,
    'ready-file': Flags.string({ description: 'file to write the addresses to, once it answers', helpValue: 'file' }),
  }

  async run() {
    const { flags } = await this.parse(Serve)
    const readyFile = flags['ready-file'] === undefined ? undefined : resolve(flags['ready-file'])
    if (flags['ready-file'] !== undefined) await clearReadyFile(flags['ready-file'])
    const config = readServeConfig(flags)
    const stopped = firstStopSignal()
    const { serve } = await import('../../emulator/serve.js')
    const served = await serve(config)
    ignoreClosedOutput()
    try {
      const { url, adminUrl = null } = served
      const ready = { url, adminUrl, publicUrl: config.publicUrl ?? url, pid: process.pid }
      if (readyFile !== undefined) await writePrivateFile(readyFile, `${JSON.stringify(ready, null, 2)}\n`)
      if (this.jsonEnabled()) process.stdout.write(`${JSON.stringify({ type: 'ready', ...ready })}\n`)
      else this.log(readyLine(config.publicUrl, ready))
      await stopped
      this.say('Stopping: requests at work are finished.')
    } finally {
      // Also where closing fails or hangs: nobody is to take it for one that serves.
      if (readyFile !== undefined) await withdrawFile(readyFile, (words) => this.say(words))
      await served.close()
    }
    this.say('Stopped.')
  }

  /** Beside the line that it serves: standard error is the log, a line of JSON for each thing. */
  private say(text: string): void {
    if (!this.isQuiet()) this.log(text)
  }
}

interface Ready {
  readonly url: string
  readonly adminUrl: string | null
}

function readyLine(publicUrl: string | undefined, { url, adminUrl }: Ready): string {
  const places = [
    `Serving at ${url}`,
    ...(publicUrl === undefined ? [] : [`for ${publicUrl}`]),
    ...(adminUrl === null ? [] : [`probes and metrics at ${adminUrl}`]),
  ]
  return `${places.join(', ')}.`
}

/** Resolves with the first signal, also one during the start. A second one ends the process at once. */
function firstStopSignal(): Promise<void> {
  return new Promise((resolve) => onStopSignals(() => resolve()))
}
