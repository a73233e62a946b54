/** Undoes the changes of a command. Contract 11. */

import { SvcError } from '../../../client/protocol/model/errors.js'
import { deleteSnapshot } from '../../store/snapshots/delete.js'
import { insertEffects, selectHasEffects } from '../../store/snapshots/effects.js'
import { type CountedPart, countedParts, type Outcome, selectOutcome } from '../../store/snapshots/outcome.js'
import { selectUndoable } from '../../store/snapshots/registry.js'
import { openRestoring } from '../../store/snapshots/restoring.js'
import { selectTouchedCollections, takeBack } from '../../store/snapshots/take-back.js'
import { audit } from '../audit/audit-log.js'
import type { Backend } from '../context.js'
import { snapshotEvent } from '../events/happenings.js'
import { requireProject } from '../projects/require-project.js'
import { rebuildUniqueValues } from '../unique-values.js'
import { inTransaction, unitFor } from '../unit-of-work.js'
import { lockSnapshotsAndState, replaceState } from './replace-state.js'

/** Records listed in a reply. The rest are only counted. */
const maxNamed = 1_000

export interface Undone {
  readonly command: string
  readonly snapshot: string
  readonly outcomes: Readonly<Record<CountedPart, Outcome>>
}

/**
 * Records that the command has ended, so that later writes don't count as its own. Until then, undo can only restore
 * deleted records. Deletes the snapshot if the command changed nothing, so that undo reaches the command before it.
 * Resolves to whether the snapshot was kept.
 *
 * @throws {SvcError} `NOT_FOUND`
 */
export async function finishCommand(backend: Backend, id: string, name: string): Promise<boolean> {
  const project = (await requireProject(backend, id)).id
  const isKept = await inTransaction(unitFor(backend), async ({ db: tx }) => {
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
 * Undoes the last command, or the one for which the named snapshot was saved. Keeps later writes, and skips records
 * that conflict with them. Deletes the snapshot afterwards.
 *
 * @throws {SvcError} `NOT_FOUND` if there is nothing to undo
 */
export async function undoCommand(backend: Backend, id: string, name?: string): Promise<Undone> {
  const project = (await requireProject(backend, id)).id
  const undone = await replaceState(backend, { project, isWhole: false }, async (unit) => {
    const { db: tx } = unit
    const found = (await selectUndoable(tx, project, name)) ?? nothingToUndo(name)
    if (!found.isSettled) await insertEffects(tx, { project, id: found.id, isCertain: false })
    const restoring = await openRestoring(tx, project, found.id)
    const touched = await selectTouchedCollections(restoring)
    await takeBack(restoring)
    await rebuildUniqueValues(tx, project, touched)
    const outcomes = await selectOutcomes(countedParts, (part) => selectOutcome(restoring, { part, most: maxNamed }))
    await deleteSnapshot(tx, project, found.id)
    await audit(unit, { project, operation: 'snapshot.undone', subject: { snapshot: found.name } })
    return { command: found.command, snapshot: found.name, outcomes }
  })
  backend.events.add(snapshotEvent(project, 'undone', undone.snapshot))
  return undone
}

async function selectOutcomes<Part extends string>(
  parts: readonly Part[],
  select: (part: Part) => Promise<Outcome>,
): Promise<Record<Part, Outcome>> {
  const outcomes: [Part, Outcome][] = []
  for (const part of parts) outcomes.push([part, await select(part)])
  return Object.fromEntries(outcomes) as Record<Part, Outcome>
}

function nothingToUndo(name: string | undefined): never {
  const text =
    name === undefined
      ? 'No command to undo. Commands that change a single document save no snapshot.'
      : `No automatic snapshot "${name.slice(0, 80)}".`
  throw new SvcError('NOT_FOUND', text)
}
