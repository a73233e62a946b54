import { lstat, mkdir, mkdtemp, readdir, rm, rmdir, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultSettings } from '../../../client/protocol/model/project.js'
import { onlyProcess } from '../../../emulator/background/leader.js'
import { openFileKeeper } from '../../../emulator/background/orphans.js'
import { removeOrphans } from '../../../emulator/core/files/orphans.js'
import { openUploads, type Upload } from '../../../emulator/core/files/uploads.js'
import { openIds } from '../../../emulator/core/ids.js'
import { sql } from '../../../emulator/database/port.js'
import { openDiskStore } from '../../../emulator/ports/files/disk.js'
import type { BytesKept, FileStore } from '../../../emulator/ports/files/port.js'
import { insertFiles, orphanFile, selectOrphans, selectUsage } from '../../../emulator/store/files.js'
import { lockState } from '../../../emulator/store/project-state.js'
import { insertProject } from '../../../emulator/store/projects.js'
import { deleteSnapshot } from '../../../emulator/store/snapshots/delete.js'
import { insertSnapshot } from '../../../emulator/store/snapshots/insert.js'
import { disableTimeouts } from '../../../emulator/store/snapshots/registry.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

const at = '2026-01-01T00:00:00.000Z'
const newId = openIds()

describe.each(engines)('The removal of orphaned files on %s', (engine) => {
  let opened: OpenedEngine
  let folder: string
  let store: FileStore
  let project: string
  const faults: unknown[] = []

  beforeAll(async () => {
    opened = await openEngine(engine)
  })
  afterAll(() => opened.stop())

  beforeEach(async () => {
    faults.length = 0
    // Files of the tests before are in folders that are gone.
    await opened.db.batch([sql`delete from files`, sql`update file_totals set files = 0, bytes = 0`])
    folder = await mkdtemp(join(tmpdir(), 'svc-keeper-'))
    store = await openDiskStore({ folder })
    project = newId(new Date())
    await insertProject(opened.db, { id: project, name: 'test', settings: defaultSettings }, [], at)
    return async () => {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    }
  })

  async function aRow(size = 5): Promise<string> {
    const id = newId(new Date())
    const place = { project, owner: 'none', limitBytes: null, at } as const
    await insertFiles(opened.db, place, [{ id, name: 'a.txt', path: '', size, mimeType: 'text/plain' }])
    return id
  }

  async function someBytes(id = newId(new Date())): Promise<string> {
    await store.write(id, chunks('bytes'))
    const long = new Date(Date.now() - 60_000)
    await utimes(join(folder, id), long, long)
    return id
  }

  async function orphans(): Promise<string[]> {
    return (await selectOrphans(opened.db, { most: 10 })).map(({ id }) => id)
  }

  function openKeeper() {
    return openFileKeeper(opened.db, store, { report: (error) => faults.push(error), leader: onlyProcess })
  }

  /** One whole round, as at a start. */
  async function round() {
    const keeper = openKeeper()
    await keeper.settled()
    await keeper.close()
  }

  // Else its locks end while bytes are removed, and a snapshot may have come to hold them.
  it.each(['a removal', 'a load'])('the server ends no transaction of %s that waits for a bucket', async (of) => {
    const limits = await opened.db.transaction(async (tx) => {
      await tx.query(sql`set local idle_in_transaction_session_timeout = '1min'`)
      await (of === 'a load' ? lockState(tx, project) : disableTimeouts(tx))
      return tx.query(
        sql`select current_setting('statement_timeout') as busy, current_setting('idle_in_transaction_session_timeout') as idle`,
      )
    })

    expect(limits).toEqual([{ busy: '0', idle: '0' }])
  })

  it('removes what writes left that were never ended, with each comparison', async () => {
    let removals = 0
    const removeAbandoned = async () => void removals++
    store = { ...store, removeAbandoned }

    await round()

    expect(removals).toBeGreaterThanOrEqual(1)
    expect(faults).toEqual([])
  })

  it('keeps the bytes of an upload while the database cannot say what became of it, and asks again', async () => {
    const [stray, kept] = [newId(new Date()), await aRow()]
    // Belongs to this process, so that no comparison of bytes with rows removes it.
    for (const id of [stray, kept]) await store.write(id, chunks('bytes'))
    const keeper = openKeeper()
    const broken = { ...opened.db, batch: () => Promise.reject(new Error('no connection')) }
    const backend = { db: broken, files: store, discardLater: keeper.discardLater }
    const uploads = [stray, kept].map((id) => ({ id }) as Upload)

    await expect(openUploads(backend, project, uploads).dispose()).rejects.toThrow('no connection')
    expect([await store.has(stray), await store.has(kept)]).toEqual([true, true])
    await keeper.settled()
    await keeper.close()

    expect([await store.has(stray), await store.has(kept)]).toEqual([false, true])
    expect(faults).toEqual([])
  })

  it('removes bytes without a row, and keeps those with one', async () => {
    const [stray, kept] = [await someBytes(), await someBytes(await aRow())]

    await round()

    expect([await store.has(stray), await store.has(kept)]).toEqual([false, true])
    expect(faults).toEqual([])
  })

  it('keeps bytes that have just landed, since their row may be on its way', async () => {
    const id = newId(new Date())
    await store.write(id, chunks('bytes'))

    await round()

    expect(await store.has(id)).toBe(true)
  })

  it('reports rows without bytes, by their ids, and keeps them', async () => {
    const lost = await aRow()

    await round()

    expect(faults.map(String)).toEqual([`Error: The bytes of the file "${lost}" are gone.`])
    expect(await selectUsage(opened.db, project)).toEqual({ files: 1, bytes: 5 })
  })

  it('names some of the rows without bytes and counts the others, as after the loss of a bucket', async () => {
    for (let files = 0; files < 503; files++) await aRow()

    await round()

    expect(faults).toHaveLength(21)
    expect(String(faults.at(-1))).toBe('Error: The bytes of 483 more files are gone.')
  })

  it('stops within the page of the bucket that it is at', async () => {
    let pages = 0
    let questions = 0
    let closing: Promise<void> | undefined
    store = {
      ...store,
      // A bucket without end, were it not for a test that fails.
      async *list() {
        while (++pages < 1_000) yield [newId(new Date()), newId(new Date())]
      },
      async isSettled() {
        questions++
        closing ??= keeper.close()
        return false
      },
    }
    const keeper = openKeeper()

    await keeper.settled()
    await closing

    expect({ pages, questions }).toEqual({ pages: 1, questions: 1 })
    expect(faults).toEqual([])
  })

  it('removes the bytes and then the rows of orphaned files', async () => {
    const [gone, kept] = [await someBytes(await aRow()), await someBytes(await aRow(7))]
    await orphanFile(opened.db, project, gone)
    const between = await selectUsage(opened.db, project)

    await round()

    expect([await store.has(gone), await store.has(kept)]).toEqual([false, true])
    expect([between, await selectUsage(opened.db, project)]).toEqual([
      { files: 1, bytes: 7 },
      { files: 1, bytes: 7 },
    ])
  })

  it('removes all that can be removed beside bytes that cannot be, and asks again for these', async () => {
    // More than are removed at once, and the first of them cannot be.
    const stuck = await aRow()
    const rows = [stuck]
    for (let files = 0; files < 600; files++) rows.push(await aRow())
    const strays = await Promise.all(Array.from({ length: 3 }, () => someBytes()))
    for (const id of rows) await store.write(id, chunks('bytes'))
    for (const id of rows) await orphanFile(opened.db, project, id)
    const unsettled = [[newId(new Date())], [newId(new Date())]] as const
    for (const [id] of unsettled) await store.write(id, chunks('bytes'))
    const immovable = [stuck, strays[0] ?? '', unsettled[0][0]]
    for (const id of immovable) {
      const { mtime } = await lstat(join(folder, id))
      await rm(join(folder, id))
      await mkdir(join(folder, id))
      await utimes(join(folder, id), mtime, mtime)
    }

    const keeper = openKeeper()
    for (const ids of unsettled) keeper.discardLater(project, ids)
    await keeper.settled()

    expect((await readdir(folder)).sort()).toEqual([...immovable].sort())
    expect(await orphans()).toEqual([stuck])
    const reported = (faults as BytesKept[]).flatMap(({ ids }) => ids)
    expect([...new Set(reported)].sort()).toEqual([...immovable].sort())
    for (const id of immovable) await rmdir(join(folder, id))
    await keeper.settled()
    await keeper.close()
    expect(await orphans()).toEqual([])
  })

  it('removes the bytes of a file whose snapshot is deleted during the removal too', async () => {
    const file = await someBytes(await aRow())
    const snapshot = { id: newId(new Date()), name: 'one', command: null, branch: null, commit: null, madeAt: at }
    await opened.db.transaction((tx) => insertSnapshot(tx, project, snapshot))
    await orphanFile(opened.db, project, file)
    let removals = 0
    const files: FileStore = {
      ...store,
      async remove(ids) {
        if (removals++ === 0) await opened.db.transaction((tx) => deleteSnapshot(tx, project, snapshot.id))
        await store.remove(ids)
      },
    }

    await removeOrphans({ db: opened.db, files })

    expect([await store.has(file), await orphans()]).toEqual([false, []])
    expect(await selectUsage(opened.db, project)).toEqual({ files: 0, bytes: 0 })
  })

  it('counts no file that is over the limit, and takes dropped ones off at once', async () => {
    const place = { project, owner: 'none', limitBytes: 10, at } as const
    const file = (size: number) => ({ id: newId(new Date()), name: 'a', path: '', size, mimeType: 'text/plain' })
    const first = file(8)

    expect(await insertFiles(opened.db, place, [first])).toBe(true)
    expect(await insertFiles(opened.db, place, [file(1), file(2)])).toBe(false)
    expect(await insertFiles(opened.db, place, [file(2)])).toBe(true)
    expect(await insertFiles(opened.db, place, [file(1)])).toBe(false)
    await orphanFile(opened.db, project, first.id)
    expect(await insertFiles(opened.db, place, [file(8)])).toBe(true)
    expect(await selectUsage(opened.db, project)).toEqual({ files: 2, bytes: 10 })
  })
})

async function* chunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}
