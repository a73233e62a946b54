/** Takes back what a command has removed or changed. Contract 11. */

import { SvcError } from '../../../client/protocol/model/errors.js'
import { deleteSnapshot } from '../../store/snapshots/delete.js'
import { insertEffects, selectHasEffects } from '../../store/snapshots/effects.js'
import { type CountedPart, countedParts, type Outcome, selectOutcome } from '../../store/snapshots/outcome.js'
import { selectUndoable } from '../../store/snapshots/registry.js'
import { openRestoring } from '../../store/snapshots/restoring.js'
import { takeBack } from '../../store/snapshots/take-back.js'
import { audit } from '../audit/audit-log.js'
import type { Backend } from '../context.js'
import { snapshotEvent } from '../events/happenings.js'
import { requireProject } from '../projects/require-project.js'
import { inTransaction, unitOf } from '../unit-of-work.js'
import { lockSnapshotsAndState, replaceState } from './replace-state.js'

/** Records that a reply names; of further ones it says how many. */
const mostNamed = 1_000

export interface Undone {
  readonly command: string
  readonly snapshot: string
  readonly outcomes: Readonly<Record<CountedPart, Outcome>>
}

/**
 * Says that the command has ended, before which that snapshot was saved: whatever is written from now on is not the command's.
 * Until then only what is gone can be brought back. The snapshot before a command that has changed nothing is deleted, so that
 * undo takes back the one before; the answer is whether it was kept.
 *
 * @throws {SvcError} `NOT_FOUND`
 */
export async function finishCommand(backend: Backend, id: string, name: string): Promise<boolean> {
  const project = (await requireProject(backend, id)).id
  const isKept = await inTransaction(unitOf(backend), async ({ db: tx }) => {
    await lockSnapshotsAndState(tx, project)
    const found = (await selectUndoable(tx, project, name)) ?? nothingToUndo(name)
    if (!found.isSettled) await insertEffects(tx, { project, id: found.id, isCertain: true })
    const hasEffects = await selectHasEffects(tx, found.id)
    if (!hasEffects) await deleteSnapshot(tx, project, found.id)
    return hasEffects
  })
  if (isKept) return true
  backend.sweepFilesSoon()
  backend.events.add(snapshotEvent(project, 'removed', name))
  return false
}

/**
 * Brings back what the last command has removed or changed, or the one before which the named snapshot was saved. What was
 * written since stays, and so does what is in its way. The snapshot has done its work then, and is deleted.
 *
 * @throws {SvcError} `NOT_FOUND` where there is nothing to undo
 */
export async function undoCommand(backend: Backend, id: string, name?: string): Promise<Undone> {
  const project = (await requireProject(backend, id)).id
  const undone = await replaceState(backend, { project, isWhole: false }, async (unit) => {
    const { db: tx } = unit
    const found = (await selectUndoable(tx, project, name)) ?? nothingToUndo(name)
    if (!found.isSettled) await insertEffects(tx, { project, id: found.id, isCertain: false })
    const restoring = await openRestoring(tx, project, found.id)
    await takeBack(restoring)
    const outcomes = await outcomesOf(countedParts, (part) => selectOutcome(restoring, { part, most: mostNamed }))
    await deleteSnapshot(tx, project, found.id)
    await audit(unit, { project, operation: 'snapshot.undone', subject: { snapshot: found.name } })
    return { command: found.command, snapshot: found.name, outcomes }
  })
  backend.events.add(snapshotEvent(project, 'undone', undone.snapshot))
  return undone
}

async function outcomesOf<Part extends string>(
  parts: readonly Part[],
  select: (part: Part) => Promise<Outcome>,
): Promise<Record<Part, Outcome>> {
  const outcomes: [Part, Outcome][] = []
  for (const part of parts) outcomes.push([part, await select(part)])
  return Object.fromEntries(outcomes) as Record<Part, Outcome>
}

function nothingToUndo(name: string | undefined): never {
  const words =
    name === undefined
      ? 'No command to undo; those that change a single document save no snapshot.'
      : `No automatic snapshot "${name.slice(0, 80)}".`
  throw new SvcError('NOT_FOUND', words)
}
