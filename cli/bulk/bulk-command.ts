import type { Document } from '../../client/protocol/model/document.js'
import { savedIds } from '../backups/backup-file.js'
import { settledDocuments } from '../backups/settled-documents.js'
import { CliFailure, stoppedBy } from '../base/failure.js'
import { stopSignal } from '../base/stop-signal.js'
import { type Client, type lostByChange, type lostByDeletion, TargetCommand } from '../base/target-command.js'
import { type Dependants, formatDependants } from '../documents/dependants.js'
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
  /** Verb for the question, for example "Delete". */
  readonly verb: string
  /** Past participle, for example "deleted". */
  readonly done: string
  write(collection: Collection, ids: readonly string[]): Promise<unknown>
  /** Returns the operations that undo the write for these documents. */
  undo(documents: AsyncIterable<Document>): AsyncIterable<Undo>
  readonly lost: typeof lostByChange | typeof lostByDeletion
  /** Finds what else the write deletes or changes. */
  findDependants?(ids: AsyncIterable<string>): Promise<readonly Dependants[]>
}

interface Writing extends Pick<BulkWrite, 'done' | 'write'> {
  readonly ids: AsyncIterable<string> | Iterable<string>
  readonly total: number
  readonly flags: BulkFlags
}

/** Base of the commands that write to all matching documents. Counts them, asks, and reports progress. */
export abstract class BulkCommand extends TargetCommand {
  /**
   * Returns how many documents were written.
   *
   * @throws {CliFailure} with exit 130 or 143 if it was interrupted
   */
  protected async writeMatching(name: string, flags: BulkFlags, bulk: BulkWrite): Promise<number> {
    const { verb, done, write, undo, lost } = bulk
    const where = readWhere(flags)
    const client = this.client(flags, { dialect: withLargePages(this.requireTarget(flags).dialect) })
    const collection = client.collection(name)
    const total = await collection.count({ where })
    if (total === 0) {
      await this.noteEmptyResult(() => emptyResultNotes(flags, documentFields(client, name)))
      return 0
    }
    const target = this.requireTarget(flags)
    const seen = remembered(matchingIds(collection, where))
    const dependants = (await bulk.findDependants?.(seen.ids)) ?? []
    if (dependants.length > 0) this.note(formatDependants(dependants))
    const kind = await this.confirmWrite(flags, `${verb} ${counted(total, 'document')} of "${name}"`, {
      isAlwaysAsked: true,
    })
    const words = `${this.words()} ${name}`
    const lines = undo(settledDocuments(collection, where, total))
    const backup = await this.backUp(kind, flags, { words, lost, lines })
    // Writes only documents that are in the backup.
    const ids = backup ? savedIds(backup) : (seen.all() ?? matchingIds(collection, where))
    const writeAll = () => this.writeAll(collection, { ids, total, flags, done, write })
    return total > 1 || dependants.length > 0 ? this.undoably(target, words, flags, writeAll) : writeAll()
  }

  /** Returns the name of this command, for example `docs delete`. */
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
      if (result.gone > 0) this.note(`${counted(result.gone, 'document')} had already been deleted.`)
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

/** Keeps ids that are read, so that they need not be read again. `all` is undefined unless the last one was reached. */
function remembered(source: AsyncIterable<string>) {
  const kept: string[] = []
  let isWhole = false
  async function* read() {
    for await (const id of source) {
      kept.push(id)
      yield id
    }
    isWhole = true
  }
  return { ids: read(), all: () => (isWhole ? kept : undefined) }
}

function stopped(what: string, exit: number): CliFailure {
  return new CliFailure('INTERRUPTED', exit, `Stopped; ${what}.`, 'Run the same command again to continue.')
}
