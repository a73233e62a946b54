/** Saves a snapshot before a destructive command so that `svc undo` can restore it. Contract 12.6. */
import type { Control } from '../../client/control.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import { stoppedBy, undefinedIfMissing } from '../base/failure.js'
import { stopSignal } from '../base/stop-signal.js'
import { openSnapshotControl } from '../target/control.js'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import { gitPlace } from './git-place.js'

const maxCommandLength = 255

export interface Undoable {
  readonly emulator: OwnEmulator
  /** The destructive command, for example `docs delete posts`. */
  readonly command: string
  /** The snapshot being loaded, which must not be evicted to make room for the new one. */
  readonly keeping?: string | undefined
  /** The key or token the command uses. Defaults to the emulator's own key. */
  readonly key: string | undefined
  /** Called with the name of the saved snapshot. */
  onSaved(name: string): void
  /** Called with the name if the command changed nothing and the snapshot was deleted. */
  onUnchanged(name: string): void
  /** Called with the name if the snapshot was used or deleted while the command ran. */
  onGone(name: string): void
  /** Called with the reason if no snapshot could be saved. Throw to stop the command. */
  onUnsaved(why: string): Promise<void>
}

/** Runs the work between saving a snapshot and marking it as finished. Later writes are not part of the undo. */
export async function withSnapshot<Result>(
  { emulator, command, keeping, key, onSaved, onUnchanged, onGone, onUnsaved }: Undoable,
  work: () => Promise<Result>,
): Promise<Result> {
  const control = openSnapshotControl(emulator)
  const project = emulator.projectId
  if (!(await mayOpenProject(control, emulator, key))) return work()
  const name = await save(control, project, command, keeping).catch((error) => {
    if (!(error instanceof SvcError) || error.code !== 'STORAGE_LIMIT') throw error
    return onUnsaved(error.message)
  })
  if (name === undefined) return work()
  onSaved(name)
  const finish = async () => {
    // Waits for `finish`, because a Ctrl-C now would hide the result of the command. A second Ctrl-C stops it.
    const stop = stopSignal()
    try {
      // The snapshot may be gone: evicted for space, or used by another undo. The work is done either way.
      const finished = await control.snapshots.finish({ project, snapshot: name }).catch(undefinedIfMissing)
      if (!finished) onGone(name)
      else if (!finished.isKept) onUnchanged(name)
    } finally {
      stop.release()
    }
  }
  const result = await work().catch(async (error) => {
    // Reports the first error.
    await finish().catch(() => undefined)
    throw error
  })
  await finish().catch((error) => {
    throw stoppedBy(error, 'The changes are saved, but svc undo may restore only the deleted documents.')
  })
  return result
}

async function save({ snapshots }: Control, project: string, command: string, keeping?: string): Promise<string> {
  const place = await gitPlace()
  const words = command.slice(0, maxCommandLength)
  return (await snapshots.save({ project, automatic: true, command: words, keeping, ...place })).name
}

/** A user token is a JWT, so it begins with a JSON object in base64url. */
const isToken = (key: string) => key.startsWith('ey')

/**
 * Returns whether a key may belong to the emulator's own project. For secret keys and user tokens this is a guess. An
 * extra snapshot does no harm, because it is deleted if nothing changed.
 */
async function mayOpenProject({ projects }: Control, emulator: OwnEmulator, key: string | undefined): Promise<boolean> {
  if (key === undefined || key === emulator.apiKey || isToken(key)) return true
  const { keys } = await projects.get({ project: emulator.projectId })
  return keys.some((known) => known.key === key || (known.secret && key.startsWith('svc_secret_')))
}
