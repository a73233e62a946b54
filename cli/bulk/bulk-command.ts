import type { Where } from '../../client/protocol/model/where.js'
import { CliFailure, stoppedBy } from '../base/failure.js'
import { stopSignal } from '../base/stop-signal.js'
import { type Client, TargetCommand } from '../base/target-command.js'
import { documentFields, emptyResultNotes } from '../documents/empty-result.js'
import { readWhere, type WhereFlags } from '../documents/where-flag.js'
import type { TargetFlags } from '../target/target.js'
import { count, counted } from '../terminal/print.js'
import { startProgress } from '../terminal/progress.js'
import { writeSelection } from './selection.js'

type Collection = ReturnType<Client['collection']>

export interface BulkFlags extends TargetFlags, WhereFlags {
  readonly yes: boolean
  readonly quiet: boolean
}

interface BulkWrite {
  /** What is done to each, as a question begins: "Delete". */
  readonly verb: string
  /** What was done to each: "deleted". */
  readonly done: string
  write(collection: Collection, ids: readonly string[]): Promise<unknown>
}

interface Writing extends Pick<BulkWrite, 'done' | 'write'> {
  readonly where: Where
  readonly total: number
  readonly flags: BulkFlags
}

/** A command that writes all documents that conditions match: counts them and asks first, and says how far it came. */
export abstract class BulkCommand extends TargetCommand {
  /** How many it has written. @throws {CliFailure} with exit 130 or 143 where it was stopped */
  protected async writeMatching(name: string, flags: BulkFlags, { verb, done, write }: BulkWrite): Promise<number> {
    const where = readWhere(flags.where, flags.or)
    const client = this.client(flags)
    const collection = client.collection(name)
    const total = await collection.count({ where })
    if (total === 0) {
      await this.noteEmptyResult(() => emptyResultNotes(flags, documentFields(client, name)))
      return 0
    }
    const target = this.requireTarget(flags)
    await this.confirmWrite(flags, `${verb} ${counted(total, 'document')} of "${name}"`, { isAlwaysAsked: true })
    const writeAll = () => this.writeAll(collection, { where, total, flags, done, write })
    return total > 1 ? this.undoably(target, `${this.words()} ${name}`, flags, writeAll) : writeAll()
  }

  /** The words that this command is called by. */
  protected words(): string {
    return (this.id ?? '').replaceAll(':', ' ')
  }

  private async writeAll(collection: Collection, { where, total, flags, done, write }: Writing): Promise<number> {
    const progress = await startProgress(total, 'document', { isWanted: !flags.quiet && !this.jsonEnabled() })
    const stop = stopSignal()
    let written = 0
    const onWritten = (now: number) => {
      written = now
      progress.at(Math.min(written, total), written)
    }
    try {
      const options = { where, signal: stop.signal, onWritten }
      const result = await writeSelection(collection, options, (ids) => write(collection, ids))
      if (stop.signal.aborted) throw stopped(`${count(written)} of ${counted(total, 'document')} ${done}`, stop.exit())
      if (result.gone > 0) this.note(`${counted(result.gone, 'document')} had been deleted meanwhile.`)
    } catch (error) {
      if (error instanceof CliFailure) throw error
      const reached = `${count(written)} of ${counted(total, 'document')} ${done} before it failed.`
      throw stoppedBy(error, reached)
    } finally {
      progress.stop()
      stop.release()
    }
    return written
  }
}

function stopped(what: string, exit: number): CliFailure {
  return new CliFailure(
    'INTERRUPTED',
    exit,
    `Stopped; ${what}.`,
    'Give the same command again to go on with the others.',
  )
}
