/**
 * Groups concurrent creates into one statement. If each commit waits for the disk, creates that arrive during a write go into
 * the next statement, in order. A create that arrives alone never waits.
 */
import type { StoredDocument } from '../../../client/protocol/model/document.js'
import { type Database, DatabaseError } from '../../database/port.js'
import type { NewData } from '../../store/documents.js'

type Text = Omit<NewData, 'id'>

export interface JoinedCreates {
  /** Inserts a document with `write`, alone or with others of the collection. Returns undefined if the collection is gone. */
  insert(
    place: { readonly db: Database; readonly collection: string },
    text: Text,
    write: (texts: readonly Text[]) => Promise<readonly StoredDocument[]>,
  ): Promise<readonly StoredDocument[]>
}

interface Create {
  readonly text: Text
  write(texts: readonly Text[]): Promise<readonly StoredDocument[]>
  resolve(documents: readonly StoredDocument[]): void
  reject(error: unknown): void
}

interface Line {
  readonly waiting: Create[]
  atWork: number
}

/** The limit per collection: one statement is written while the other waits for the disk. */
const maxStatements = 2
/** The limit per statement, to keep each one short. */
const most = { documents: 200, characters: 1024 * 1024 }

/** Requests with traced or failing statements have their own database handle, so they are never grouped with others. */
export function openJoinedCreates(): JoinedCreates {
  const lines = new WeakMap<Database, Map<string, Line>>()
  return {
    insert({ db, collection }, text, write) {
      const ofDatabase = lines.get(db) ?? new Map<string, Line>()
      lines.set(db, ofDatabase)
      const line = ofDatabase.get(collection) ?? { waiting: [], atWork: 0 }
      ofDatabase.set(collection, line)
      return new Promise((resolve, reject) => {
        line.waiting.push({ text, write, resolve, reject })
        if (line.atWork < maxStatements) void work(line).then(() => line.atWork || ofDatabase.delete(collection))
      })
    },
  }
}

async function work(line: Line): Promise<void> {
  line.atWork++
  while (line.waiting.length > 0) await writeGroup(takeSome(line.waiting))
  line.atWork--
}

function takeSome(waiting: Create[]): Create[] {
  let characters = 0
  const end = waiting.findIndex(({ text }, at) => {
    characters += text.json.length
    return at > 0 && (at === most.documents || characters > most.characters)
  })
  return waiting.splice(0, end === -1 ? waiting.length : end)
}

/** A document that the database refuses fails alone. If the commit may have succeeded, nothing is retried. */
async function writeGroup(group: readonly Create[]): Promise<void> {
  try {
    const documents = await writeAll(group)
    for (const [at, { resolve }] of group.entries()) resolve(documents.slice(at, at + 1))
  } catch (error) {
    const isOfAll = error instanceof DatabaseError && ['unknown outcome', 'unavailable'].includes(error.kind)
    for (const create of group) {
      if (isOfAll || group.length === 1) create.reject(error)
      else await writeAll([create]).then(create.resolve, create.reject)
    }
  }
}

async function writeAll(group: readonly Create[]): Promise<readonly StoredDocument[]> {
  return (await group[0]?.write(group.map(({ text }) => text))) ?? []
}
