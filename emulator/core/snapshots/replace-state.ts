/** Replaces the state of a project, completely or in part, with other writers locked out. */
import type { Database } from '../../database/port.js'
import { type CountedName, lockState, selectCountedNames } from '../../store/project-state.js'
import { insertLeftNames } from '../../store/realtime/left-names.js'
import { disableTimeouts, lockSnapshots } from '../../store/snapshots/registry.js'
import type { Backend } from '../context.js'
import { restartChanges } from '../projects/reset.js'
import { identityChanged, inTransaction, publish, type UnitOfWork, unitFor } from '../unit-of-work.js'

/** Waits for other snapshot work and for writers, and locks them out until the transaction ends. */
export async function lockSnapshotsAndState(tx: Database, project: string): Promise<void> {
  await disableTimeouts(tx)
  await lockSnapshots(tx)
  await lockState(tx, project)
}

/**
 * Runs `replace` in a transaction that locks writers out. Then resyncs subscribers and sweeps unreachable data.
 *
 * @param isWhole whether everything is replaced
 */
export async function replaceState<Result>(
  backend: Backend,
  { project, isWhole }: { readonly project: string; readonly isWhole: boolean },
  replace: (unit: UnitOfWork & { readonly backend: Backend }) => Promise<Result>,
): Promise<Result> {
  const result = await inTransaction(unitFor(backend), async (unit) => {
    await lockSnapshotsAndState(unit.db, project)
    const before = await selectCountedNames(unit.db, project)
    const result = await replace(unit)
    const after = await selectCountedNames(unit.db, project)
    const collections = [...new Set([...before, ...after].map(({ id }) => id))]
    await restartChanges(unit, { project, isWhole, collections })
    if (!isWhole) await insertLeftNames(unit.db, project, findRemovedNames(before, after))
    publish(unit, identityChanged())
    return result
  })
  backend.sweepSoon()
  backend.sweepFilesSoon()
  return result
}

/** Lists the collection names that have disappeared. A new collection under an old name resyncs like all others. */
function findRemovedNames(before: readonly CountedName[], after: readonly CountedName[]): string[] {
  const names = new Set(after.map(({ name }) => name))
  return before.map(({ name }) => name).filter((name) => !names.has(name))
}
