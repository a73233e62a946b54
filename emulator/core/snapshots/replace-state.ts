/** The state of a project, replaced as a whole or in part, with other writers locked out. */
import type { Database } from '../../database/port.js'
import { lockState, selectCountedNames } from '../../store/project-state.js'
import { lockSnapshots, takeTime } from '../../store/snapshots/registry.js'
import type { Backend } from '../context.js'
import { restartChanges } from '../projects/reset.js'
import { identityChanged, inTransaction, publish, type UnitOfWork, unitOf } from '../unit-of-work.js'

/** Waits for other work on snapshots and for writers, and keeps them out until the transaction ends. */
export async function lockSnapshotsAndState(tx: Database, project: string): Promise<void> {
  await takeTime(tx)
  await lockSnapshots(tx)
  await lockState(tx, project)
}

/**
 * Runs `replace` in a transaction that keeps writers out. Whoever subscribes then begins anew, and what nobody can reach any
 * more is swept.
 *
 * @param isWhole whether nothing stays as it was
 */
export async function replaceState<Result>(
  backend: Backend,
  { project, isWhole }: { readonly project: string; readonly isWhole: boolean },
  replace: (unit: UnitOfWork & { readonly backend: Backend }) => Promise<Result>,
): Promise<Result> {
  const result = await inTransaction(unitOf(backend), async (unit) => {
    await lockSnapshotsAndState(unit.db, project)
    const before = await selectCountedNames(unit.db, project)
    const result = await replace(unit)
    const after = await selectCountedNames(unit.db, project)
    const collections = [...new Set([...before, ...after].map(({ id }) => id))]
    await restartChanges(unit, { project, isWhole, collections })
    publish(unit, identityChanged())
    return result
  })
  backend.sweepSoon()
  backend.sweepFilesSoon()
  return result
}
