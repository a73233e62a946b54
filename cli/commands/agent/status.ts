import { agentPlaces, detectState } from '../../agent/places.js'
import { SvcCommand } from '../../base/svc-command.js'
import { nearby } from '../../init/write-plan.js'
import { table } from '../../terminal/print.js'

export default class AgentStatus extends SvcCommand {
  static override summary = 'Show which agent files this app has, and whether they are current.'
  static override examples = ['<%= config.bin %> agent status', '<%= config.bin %> agent status --json']

  protected readonly access = 'read'

  async run() {
    await this.parse(AgentStatus)
    const setup = { root: this.config.root, folder: process.cwd() }
    const reading = agentPlaces({ ...setup, mayWrite: false })
    const writing = agentPlaces({ ...setup, mayWrite: true })
    // Both choices of --allow-writes are current.
    const files = reading.map((place, at) => {
      const other = writing[at]
      const state = other && detectState(other) === 'current' ? 'current' : detectState(place)
      return { path: nearby(place.path), state }
    })
    this.log(table(files, { whole: ['path'] }))
    if (files.some(({ state }) => state !== 'current')) this.note('Write or update them: svc agent setup')
    return { files }
  }
}
