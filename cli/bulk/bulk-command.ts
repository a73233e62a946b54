import type { Document } from '../../client/protocol/model/document.js'
import { savedIds } from '../backups/backup-file.js'
import { settledDocuments } from '../backups/settled-documents.js'
import { CliFailure, stoppedBy } from '../base/failure.js'
import { stopSignal } from '../base/stop-signal.js'
import { type Client, type lostByChange, type lostByDeletion, TargetCommand } from '../base/target-command.js'
import { documentFields, emptyResultNotes } from '../documents/empty-result.js'
import { withLargePages } from '../documents/large-pages.js'
import { readWhere, type WhereFlags } from '../documents/where-flag.js'
import type { Undo } from '../sync/operations.js'
import type { TargetFlags } from '../target/target.js'
import { count, counted } from '../terminal/print.js'
import { startProgress } from '../terminal/progress.js'
import { matchingIds, writeSelection } from './selection.js'

type Collection = ReturnType<Client['collection']>

export interface BulkFlags extends TargetFlags, WhereFlags {
  readonly backup: boolean
  readonly yes: boolean
  readonly quiet: boolean
}

interface BulkWrite {
  /** What is done to each, as a question begins: "Delete". */
  readonly verb: string
  /** What was done to each: "deleted". */
  readonly done: string
  write(collection: Collection, ids: readonly string[]): Promise<unknown>
  /** What takes it back, for these documents. */
  undo(documents: AsyncIterable<Document>): AsyncIterable<Undo>
  readonly lost: typeof lostByChange | typeof lostByDeletion
}

interface Writing extends Pick<BulkWrite, 'done' | 'write'> {
  readonly ids: AsyncIterable<string>
  readonly total: number
  readonly flags: BulkFlags
}

/** A command that writes all documents that conditions match: counts them and asks first, and says how far it came. */
export abstract class BulkCommand extends TargetCommand {
  /** How many it has written. @throws {CliFailure} with exit 130 or 143 where it was stopped */
  protected async writeMatching(name: string, flags: BulkFlags, bulk: BulkWrite): Promise<number> {
    const { verb, done, write, undo, lost } = bulk
    const where = readWhere(flags.where, flags.or)
    const client = this.client(flags, { dialect: withLargePages(this.requireTarget(flags).dialect) })
    const collection = client.collection(name)
    const total = await collection.count({ where })
    if (total === 0) {
      await this.noteEmptyResult(() => emptyResultNotes(flags, documentFields(client, name)))
      return 0
    }
    const target = this.requireTarget(flags)
    const kind = await this.confirmWrite(flags, `${verb} ${counted(total, 'document')} of "${name}"`, {
      isAlwaysAsked: true,
    })
    const words = `${this.words()} ${name}`
    const lines = undo(settledDocuments(collection, where, total))
    const backup = await this.backUp(kind, flags, { words, lost, lines })
    // Only what is saved is written.
    const ids = backup ? savedIds(backup) : matchingIds(collection, where)
    const writeAll = () => this.writeAll(collection, { ids, total, flags, done, write })
    return total > 1 ? this.undoably(target, words, flags, writeAll) : writeAll()
  }

  /** The words that this command is called by. */
  protected words(): string {
    return (this.id ?? '').replaceAll(':', ' ')
  }

  private async writeAll(collection: Collection, { ids, total, flags, done, write }: Writing): Promise<number> {
    const progress = await startProgress(total, 'document', { isWanted: !flags.quiet && !this.jsonEnabled() })
    const stop = stopSignal()
    let written = 0
    const onWritten = (now: number) => {
      written = now
      progress.at(Math.min(written, total), written)
    }
    try {
      const options = { ids, signal: stop.signal, onWritten }
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
