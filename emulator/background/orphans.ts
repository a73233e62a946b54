/** Keeps bytes and rows of files together: what a crash or a deleted record left of the one without the other. */
import type { Database } from '../database/port.js'
import type { FileStore } from '../ports/files/port.js'
import {
  deleteOrphans,
  selectExisting,
  selectFileCount,
  selectIdsAfter,
  selectOrphans,
  selectSettled,
  selectSettledAnywhere,
} from '../store/files.js'

/** Files looked at in one statement. */
const piece = 500

/** The first requests go first. */
const restMilliseconds = 1_000

/** The id that every other comes after. */
const beforeAll = '00000000-0000-0000-0000-000000000000'

export interface FileKeeper {
  /** Removes files of nobody now, or after the round that is at work. */
  soon(): void
  /** Asks in each round, until the database has answered, which of these have a row; the bytes of the others go. */
  discardLater(project: string, ids: readonly string[]): void
  /** Compares everything now, if that has not begun; resolves once it is done and no round is at work. */
  settled(): Promise<void>
  /** Ends after the piece that is at work. */
  stop(): Promise<void>
}

/**
 * A round soon after the start that compares everything; then files of nobody whenever it is asked for, and once a minute,
 * since other processes leave some too.
 */
export function startFileKeeper(db: Database, store: FileStore, report: (error: unknown) => void): FileKeeper {
  let isStopped = false
  let isWanted = false
  let round: Promise<void> | undefined
  let comparing: Promise<void> | undefined
  const unsettled = new Set<{ readonly project: string; readonly ids: readonly string[] }>()
  const timer = setInterval(soon, 60_000)
  timer.unref()
  const first = setTimeout(begin, restMilliseconds)
  first.unref()

  function begin() {
    clearTimeout(first)
    comparing ??= guarded(compare)
    soon()
  }

  async function compare() {
    const found = await removeStrays()
    // Nearly always each row has its bytes, and need not be looked at.
    if (!isStopped && (await selectFileCount(db)) > found) await reportMissing()
  }

  async function guarded(work: () => Promise<void>) {
    try {
      await work()
    } catch (error) {
      if (!isStopped) report(error)
    }
  }

  function soon() {
    isWanted = true
    round ??= guarded(removeAll).finally(() => {
      round = undefined
      if (isWanted && !isStopped) soon()
    })
  }

  async function removeAll() {
    isWanted = false
    await removeNobodys()
    await discardUnsettled()
  }

  /** Uploads whose outcome the database could not tell when it was asked. */
  async function discardUnsettled() {
    for (const upload of [...unsettled]) {
      if (isStopped) return
      const kept = new Set(await selectSettled(db, upload.project, upload.ids))
      await store.remove(upload.ids.filter((id) => !kept.has(id)))
      unsettled.delete(upload)
    }
  }

  /** Bytes first: the row is what remembers them. */
  async function removeNobodys() {
    while (!isStopped) {
      const ids = await selectOrphans(db, piece)
      if (ids.length === 0) return
      await store.remove(ids)
      await deleteOrphans(db, ids)
    }
  }

  /** Bytes that landed and never got a row; how many have one. */
  async function removeStrays(): Promise<number> {
    let found = 0
    for await (const listed of store.list()) {
      for (let at = 0; at < listed.length && !isStopped; at += piece) {
        const ids = listed.slice(at, at + piece)
        const known = new Set(await selectExisting(db, ids))
        found += known.size
        await removeSettled(ids.filter((id) => !known.has(id)))
      }
    }
    return found
  }

  /** The process that wrote them is gone, but a server may still be about to commit what it sent last. */
  async function removeSettled(strays: readonly string[]) {
    const old: string[] = []
    for (const id of strays) if (await store.isSettled(id)) old.push(id)
    if (old.length === 0) return
    const kept = new Set(await selectSettledAnywhere(db, old))
    await store.remove(old.filter((id) => !kept.has(id)))
  }

  /** Rows whose bytes are gone, which is more than anybody but the owner can mend. */
  async function reportMissing() {
    let last = beforeAll
    while (!isStopped) {
      const ids = await selectIdsAfter(db, last, piece)
      for (const id of ids) if (!(await store.has(id))) report(new Error(`The bytes of the file "${id}" are gone.`))
      last = ids.at(-1) ?? ''
      if (ids.length < piece) return
    }
  }

  async function idle() {
    await comparing
    await round
  }

  return {
    soon,
    discardLater: (project, ids) => void unsettled.add({ project, ids }),
    settled() {
      begin()
      return idle()
    },
    stop() {
      isStopped = true
      clearTimeout(first)
      clearInterval(timer)
      return idle()
    },
  }
}
