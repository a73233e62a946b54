import * as Flags from '@oclif/core/flags'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { emulatorOfRunOrHere, noEmulatorAsked } from '../base/here.js'
import { keepHeapSmall } from '../base/small-heap.js'
import { stopSignal } from '../base/stop-signal.js'
import { type CommandInput, SvcCommand } from '../base/svc-command.js'
import type { Scope } from '../mcp/call-tool.js'
import { emulatorOfRun } from '../target/emulator-of-run.js'
import { requireProfile } from '../target/profiles.js'
import { table } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'

/** Settings that lead to another service or use another key than that of the folder's emulator. */
const otherTargets = ['SVC_URL', 'SVC_API_KEY', 'SVC_PROFILE', 'SVC_DIALECT']

export default class Mcp extends SvcCommand {
  static override summary = 'Give coding agents tools for the emulator.'
  static override description =
    prose(`Speaks the Model Context Protocol on stdin and stdout, or with --port over HTTP on this machine. Agents start it themselves;
svc agent setup tells them how.

Agents can only read, unless you pass --allow-writes. Each write saves a snapshot first, so that svc undo restores the data. Tools
work with the emulator of this folder, and with a hosted service only if you name its profile.`)
  static override examples = [
    '<%= config.bin %> mcp --allow-writes',
    '<%= config.bin %> mcp --list --tools all',
    '<%= config.bin %> mcp --port 4410',
  ]
  static override flags = {
    'allow-writes': Flags.boolean({ description: 'offer tools that change data' }),
    tools: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      description: 'more tools to offer, or "all"; --list shows them',
      helpValue: 'name',
    }),
    list: Flags.boolean({ description: 'list the tools and exit' }),
    port: Flags.integer({ min: 0, max: 65_535, description: 'serve HTTP on this port instead; 0 picks a free one' }),
    profile: Flags.string({ char: 'P', description: 'profile of a hosted service to use instead of the emulator' }),
  }

  protected readonly access = ({ flags }: CommandInput) => (flags['allow-writes'] ? 'write' : 'read')

  async run() {
    const { flags } = await this.parse(Mcp)
    const { openQueue, toolsOffered } = await import('../mcp/call-tool.js')
    const { tools } = await import('../mcp/tools.js')
    const scope: Scope = {
      config: this.config,
      profile: flags.profile,
      mayWrite: flags['allow-writes'],
      inTurn: openQueue(),
      further: flags.tools?.includes('all') ? Object.keys(tools) : (flags.tools ?? []),
    }
    const unknown = scope.further.find((name) => !Object.hasOwn(tools, name))
    if (unknown !== undefined) throw misuse(`No tool "${unknown}".`, 'List the tools: svc mcp --list --tools all')
    if (flags.profile !== undefined) requireProfile(flags.profile)
    if (flags.list) return this.listTools({ ...scope, mayWrite: true }, toolsOffered(scope).length)
    if (this.jsonEnabled()) throw misuse('--json only works with --list.', 'Show the usage: svc mcp --help')
    if (!emulatorOfRun()) for (const name of otherTargets) delete process.env[name]
    if (flags.port === undefined) return this.serveStdio(scope)
    return this.serveHttp(scope, flags.port)
  }

  private async listTools(scope: Scope, offered: number) {
    const { describeTools } = await import('../mcp/server.js')
    const { tools } = await import('../mcp/tools.js')
    const described = await describeTools(scope)
    const rows = described.map(({ name, description }) => ({
      name,
      needs: [
        ...(tools[name]?.effect === 'read' ? [] : ['--allow-writes']),
        ...(tools[name]?.isUsual ? [] : [`--tools ${name}`]),
      ].join(' '),
      description,
    }))
    this.log(table(rows, { whole: ['name', 'needs', 'description'] }))
    return { tools: described, offered }
  }

  private async serveStdio(scope: Scope) {
    keepHeapSmall()
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
    const { openServer } = await import('../mcp/server.js')
    const stop = stopSignal()
    const ended = new Promise<void>((resolve) => {
      for (const event of ['end', 'close'] as const) process.stdin.once(event, () => resolve())
      stop.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    const handle = serveStdio(() => openServer(scope))
    await ended
    await handle.close()
    stop.release()
    return undefined
  }

  private async serveHttp(scope: Scope, port: number) {
    if (scope.profile !== undefined)
      throw misuse(
        '--port cannot be combined with --profile.',
        'Leave out --port. The agent then starts svc mcp itself.',
      )
    if (!emulatorOfRunOrHere(undefined)) throw noEmulatorAsked()
    const { serveHttp } = await import('../mcp/http.js')
    const served = await serveHttp(scope, port).catch((cause) => {
      throw new CliFailure('PORT_IN_USE', exits.failed, `Cannot listen on port ${port}.`, 'Pass another --port.', {
        cause,
      })
    })
    this.sayAlways(`MCP server  ${served.url}  (authorization: Bearer <control token of .svc/emulator.json>)`)
    const stop = stopSignal()
    if (!stop.signal.aborted)
      await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }))
    await served.close()
    process.exitCode = stop.exit()
    return undefined
  }
}
