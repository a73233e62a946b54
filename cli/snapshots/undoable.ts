/** A snapshot of the emulator before a command that destroys something, so that `svc undo` takes the command back. Contract 12.6. */
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
  /** What destroys something, such as `docs delete posts`. */
  readonly command: string
  /** The snapshot that it loads, which must not make room for the one that is saved. */
  readonly keeping?: string | undefined
  /** The key or token that is sent; left out, the emulator's own. */
  readonly key: string | undefined
  /** Receives the name of the snapshot. */
  onSaved(name: string): void
  /** Receives its name where the command has changed nothing, and it was deleted again. */
  onUnchanged(name: string): void
  /** Receives its name where it was used up or deleted while the command ran. */
  onGone(name: string): void
  /** Receives why there is none. Nothing is done where it throws. */
  onUnsaved(why: string): Promise<void>
}

/** Does the work between a snapshot and the word that the command has ended: what is written after that is not the command's. */
export async function withSnapshot<Result>(
  { emulator, command, keeping, key, onSaved, onUnchanged, onGone, onUnsaved }: Undoable,
  work: () => Promise<Result>,
): Promise<Result> {
  const control = openSnapshotControl(emulator)
  const project = emulator.projectId
  if (!(await isKeyOf(control, emulator, key))) return work()
  const name = await save(control, project, command, keeping).catch((error) => {
    if (!(error instanceof SvcError) || error.code !== 'STORAGE_LIMIT') throw error
    return onUnsaved(error.message)
  })
  if (name === undefined) return work()
  onSaved(name)
  const finish = async () => {
    // A Ctrl-C would end the command without a word of what it did; a second one does.
    const stop = stopSignal()
    try {
      // Another command may have needed its space, or another undo have used it up. The work is done all the same.
      const finished = await control.snapshots.finish({ project, snapshot: name }).catch(undefinedIfMissing)
      if (!finished) onGone(name)
      else if (!finished.isKept) onUnchanged(name)
    } finally {
      stop.release()
    }
  }
  const result = await work().catch(async (error) => {
    // What went wrong first is what is said.
    await finish().catch(() => undefined)
    throw error
  })
  await finish().catch((error) => {
    throw stoppedBy(error, 'What the command did stays; svc undo may bring back only what it deleted.')
  })
  return result
}

async function save({ snapshots }: Control, project: string, command: string, keeping?: string): Promise<string> {
  const place = await gitPlace()
  const words = command.slice(0, maxCommandLength)
  return (await snapshots.save({ project, automatic: true, command: words, keeping, ...place })).name
}

/** A user's token is a JWT: three parts, the first of which is an object in base64url. */
const isToken = (key: string) => key.startsWith('ey')

/**
 * Whether a key opens the emulator's own project, as far as can be seen: of a secret key or a user's token it is unknown. A snapshot
 * too many does no harm, since it is deleted where nothing was changed.
 */
async function isKeyOf({ projects }: Control, emulator: OwnEmulator, key: string | undefined): Promise<boolean> {
  if (key === undefined || key === emulator.apiKey || isToken(key)) return true
  const { keys } = await projects.get({ project: emulator.projectId })
  return keys.some((known) => known.key === key || (known.secret && key.startsWith('svc_secret_')))
}
