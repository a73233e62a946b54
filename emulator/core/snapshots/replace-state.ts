/** The state of a project, replaced as a whole or in part, with other writers locked out. */
import type { Database } from '../../database/port.js'
import { type CountedName, lockState, selectCountedNames } from '../../store/project-state.js'
import { insertLeftNames } from '../../store/realtime/left-names.js'
import { disableTimeouts, lockSnapshots } from '../../store/snapshots/registry.js'
import type { Backend } from '../context.js'
import { restartChanges } from '../projects/reset.js'
import { identityChanged, inTransaction, publish, type UnitOfWork, unitOf } from '../unit-of-work.js'

/** Waits for other work on snapshots and for writers, and keeps them out until the transaction ends. */
export async function lockSnapshotsAndState(tx: Database, project: string): Promise<void> {
  await disableTimeouts(tx)
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
    if (!isWhole) await insertLeftNames(unit.db, project, leftBy(before, after))
    publish(unit, identityChanged())
    return result
  })
  backend.sweepSoon()
  backend.sweepFilesSoon()
  return result
}

/** Names that are no collection's any more. Another one under its name was told to begin anew, as all are. */
function leftBy(before: readonly CountedName[], after: readonly CountedName[]): string[] {
  const names = new Set(after.map(({ name }) => name))
  return before.map(({ name }) => name).filter((name) => !names.has(name))
}
