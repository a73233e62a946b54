import * as Flags from '@oclif/core/flags'
import { agentPlaces, planSetup } from '../../agent/places.js'
import { dryRunFlag } from '../../base/dry-run-flag.js'
import { type CommandInput, SvcCommand } from '../../base/svc-command.js'
import { contentLines, nearby, planLines, writePlanned } from '../../init/write-plan.js'
import { requireNoLink } from '../../target/no-link.js'
import { prose } from '../../terminal/prose.js'

export default class AgentSetup extends SvcCommand {
  static override summary = 'Teach coding agents to use the emulator.'
  static override description =
    prose(`Writes skills to .agents/skills, and to .claude/skills if you use Claude Code. Adds a block to AGENTS.md, and svc mcp to the MCP
files of the editors that you use here: .mcp.json, .cursor/mcp.json and .vscode/mcp.json. Without any, creates .mcp.json.

Shows the files first, and asks. Run it again after an upgrade; it replaces only what it has written.`)
  static override examples = [
    '<%= config.bin %> agent setup',
    '<%= config.bin %> agent setup --allow-writes --yes',
    '<%= config.bin %> agent setup --dry-run --json',
  ]
  static override flags = {
    'allow-writes': Flags.boolean({ description: 'let agents change data through svc mcp' }),
    'dry-run': dryRunFlag,
  }

  protected readonly access = ({ flags }: CommandInput) => (flags['dry-run'] ? 'read' : 'write')

  async run() {
    const { flags } = await this.parse(AgentSetup)
    const folder = process.cwd()
    const setup = { root: this.config.root, folder, mayWrite: flags['allow-writes'] }
    const plan = planSetup(agentPlaces(setup))
    for (const line of planLines(plan)) this.note(line)
    const isDone = plan.every(({ change }) => change === 'keep')
    const files = plan.map(({ path, change }) => ({ path: nearby(path), change }))
    if (isDone) this.note('Everything is up to date.')
    if (flags['dry-run'] || isDone) return { folder, isWritten: false, files }
    if (!flags.yes) for (const line of plan.flatMap(contentLines)) this.note(line)
    await this.confirm('Write these files?', flags)
    for (const file of plan) {
      if (file.change !== 'keep') requireNoLink(file.path, folder)
      await writePlanned(file)
    }
    this.note('Restart your agent to load them.')
    return { folder, isWritten: true, files }
  }
}
