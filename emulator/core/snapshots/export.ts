/** Exports a snapshot as a file for another machine, and streams it while reading. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { partNames } from '../../store/snapshots/parts.js'
import { selectSchemaNumber } from '../../store/snapshots/registry.js'
import { selectKeptColumns, selectKeptFiles, selectKeptRows } from '../../store/snapshots/rows.js'
import type { Backend } from '../context.js'
import { type ArchiveHead, archiveFormat, archiveVersion, bytesName, headName, rowsName, sumsName } from './archive.js'
import { getSnapshot, type StoredSnapshot } from './snapshots.js'
import { tarEnd, tarHeader, tarPadding } from './tar.js'

/** Approximate size of an entry of rows. */
const entryBytes = 1024 * 1024

/** Settings that the recipient of the file must not see. */
const isSecret = (name: string) => /SECRET|PRIVATE|PASSWORD|TOKEN$/.test(name)

/**
 * Streams the bytes of an archive. Without secrets, it leaves out provider secrets, sessions and the token signing key.
 * It includes password hashes.
 *
 * @throws {SvcError} `NOT_FOUND`
 */
export async function exportSnapshot(
  backend: Backend,
  project: string,
  name: string,
  { withSecrets }: { readonly withSecrets: boolean },
): Promise<Readable> {
  const snapshot = await getSnapshot(backend, project, name)
  return Readable.from(writeArchive(backend, snapshot, withSecrets), { objectMode: false })
}

/** Reads on demand, so that a slow reader causes backpressure. */
async function* writeArchive(
  { db, files }: Backend,
  snapshot: StoredSnapshot,
  withSecrets: boolean,
): AsyncGenerator<Uint8Array> {
  const { id, name, branch, commit, madeAt } = snapshot
  const sums: string[] = []
  const settings = withSecrets ? undefined : await stripSecrets(db, id)
  const head: ArchiveHead = {
    ...{ format: archiveFormat, version: archiveVersion, schema: await selectSchemaNumber(db, id) },
    ...{ name, branch, commit, madeAt, columns: Object.fromEntries(await selectKeptColumns(db, id)) },
    missing: [...new Set([...snapshot.missing, ...(settings?.missing ?? [])])].sort(),
  }
  yield* writeEntry(headName, Buffer.from(`${JSON.stringify(head)}\n`), sums)
  for (const part of partNames) {
    if (!withSecrets && part === 'sessions') continue
    const rows = part === 'projects' && settings ? [[settings.row]] : selectKeptRows(db, id, part)
    let number = 0
    for await (const lines of groupIntoEntries(rows)) yield* writeEntry(rowsName(part, ++number), lines, sums)
  }
  for await (const file of selectKeptFiles(db, id)) {
    const hash = createHash('sha256')
    yield tarHeader(bytesName(file.id), file.size)
    // Opens the bytes after the header's `yield`: a reader that stops there would leave them open.
    const bytes = await files.read(file.id)
    if (!bytes) throw new Error(`The bytes of the file "${file.id}" are gone.`)
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      hash.update(chunk)
      yield chunk
    }
    yield tarPadding(file.size)
    sums.push(`${hash.digest('hex')}  ${bytesName(file.id)}\n`)
  }
  yield* writeEntry(sumsName, Buffer.from(sums.join('')), [])
  yield tarEnd
}

function* writeEntry(name: string, bytes: Buffer, sums: string[]): Generator<Uint8Array> {
  sums.push(`${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
  yield tarHeader(name, bytes.length)
  yield bytes
  yield tarPadding(bytes.length)
}

/** Reads the project's row without secrets, and the names of the secrets left out. */
async function stripSecrets(db: Backend['db'], id: string): Promise<{ row: string; missing: string[] }> {
  for await (const [text] of selectKeptRows(db, id, 'projects')) {
    if (text === undefined) continue
    const row = JSON.parse(text) as { settings: { idp?: Record<string, string> } }
    const idp = Object.entries(row.settings.idp ?? {})
    const shown = Object.fromEntries(idp.filter(([name]) => !isSecret(name)))
    const settings = { ...row.settings, idp: shown }
    const missing = idp.map(([name]) => name).filter(isSecret)
    return { row: JSON.stringify({ ...row, settings, token_secret: '' }), missing }
  }
  throw new Error(`The snapshot "${id}" has no project.`)
}

async function* groupIntoEntries(
  rows: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): AsyncGenerator<Buffer> {
  let lines: string[] = []
  let length = 0
  for await (const some of rows) {
    for (const row of some) {
      lines.push(row, '\n')
      length += row.length
      if (length < entryBytes) continue
      yield Buffer.from(lines.join(''))
      lines = []
      length = 0
    }
  }
  if (lines.length > 0) yield Buffer.from(lines.join(''))
}
