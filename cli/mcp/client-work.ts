import type { Config } from '@oclif/core'
import { TargetCommand } from '../base/target-command.js'
import type { ClientCalls } from './tool.js'

/** Runs calls of the client with the target, rights and explanations of a command. Users cannot call it by name. */
export class ClientWork extends TargetCommand {
  protected readonly access: 'read' | 'write'

  constructor(
    argv: string[],
    config: Config,
    private readonly work: ClientCalls,
  ) {
    super(argv, config)
    this.access = work.change === undefined ? 'read' : 'write'
    this.id = 'docs'
  }

  async run() {
    const { flags } = await this.parse(ClientWork)
    if (this.work.change !== undefined) await this.confirmWrite(flags, this.work.change)
    return this.work.run(await this.ownerClient(flags))
  }
}
