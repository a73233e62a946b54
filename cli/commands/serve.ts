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
    prose(`Runs the same service as svc dev, with all state in PostgreSQL and a bucket. Each process is one replica. Run as many as
you want with systemd, Docker Compose or Kubernetes, and let it restart those that exit. Development features are off: dashboard, mailbox
and login provider. You create projects and keys yourself. Terminate TLS in the load balancer.

Set SVC_DATABASE_URL, SVC_FILES_URL and SVC_SECRET. svc serve keys generates the secret. Every flag except --ready-file can also be
set as a variable, for example --public-url as SVC_PUBLIC_URL. Secrets can also be read from files, for example from the file named
by SVC_SECRET_FILE.

On SIGTERM or Ctrl-C, requests finish and streams move to other replicas. A second signal exits at once. S3 keys are read from
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`)
  static override examples = [
    '<%= config.bin %> serve --public-url https://api.example.com --admin-port 4401',
    '<%= config.bin %> serve --host 0.0.0.0 --trusted-proxies 1 --shutdown-delay 5s --json --ready-file ready.json',
  ]
  static override flags = {
    ...serveFlags,
    'ready-file': Flags.string({
      description: 'file to write the addresses to when the service is ready',
      helpValue: 'file',
    }),
  }

  protected readonly access = 'write'

  async run() {
    const { flags } = await this.parse(Serve)
    const readyFile = flags['ready-file'] === undefined ? undefined : resolve(flags['ready-file'])
    if (flags['ready-file'] !== undefined) await clearReadyFile(flags['ready-file'])
    const config = readServeConfig(flags)
    const stopped = firstStopSignal()
    const { serve } = await import('../../emulator/serving/serve.js')
    const served = await serve(config)
    ignoreClosedOutput()
    try {
      const { url, adminUrl = null } = served
      const ready = { url, adminUrl, publicUrl: config.publicUrl ?? url, pid: process.pid }
      if (readyFile !== undefined) await writePrivateFile(readyFile, `${JSON.stringify(ready, null, 2)}\n`)
      if (this.jsonEnabled()) process.stdout.write(`${JSON.stringify({ type: 'ready', ...ready })}\n`)
      else this.log(readyLine(config.publicUrl, ready))
      await stopped
      this.say('Stopping: waiting for running requests.')
    } finally {
      // Removed first, because closing may fail or hang and the file says that the service runs.
      if (readyFile !== undefined) await withdrawFile(readyFile, (words) => this.say(words))
      await served.close()
    }
    this.say('Stopped.')
  }

  /** Prints to stdout, because stderr is the log, with one line of JSON per entry. */
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

/** Resolves at the first signal, even during the start. A second one ends the process at once. */
function firstStopSignal(): Promise<void> {
  return new Promise((resolve) => onStopSignals(() => resolve()))
}
