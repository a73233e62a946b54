import { deleteSnapshot } from '../../store/snapshots/delete.js'
import { disableTimeouts, hasSnapshot, lockSnapshots, selectSnapshots } from '../../store/snapshots/registry.js'
import type { Backend } from '../context.js'
import { inTransaction, makingRoom, unitFor } from '../unit-of-work.js'

/** Deletes all snapshots of a project. */
export async function removeAllSnapshots(backend: Backend, project: string): Promise<void> {
  const snapshots = await selectSnapshots(backend.db, project)
  await removeEach(
    backend,
    snapshots.map(({ id }) => ({ id, project })),
  )
}

/**
 * Deletes the snapshots that still exist, each in a separate transaction, because dropping a table locks it until the
 * end.
 */
export async function removeEach(
  backend: Backend,
  snapshots: readonly { readonly id: string; readonly project: string }[],
): Promise<void> {
  for (const { id, project } of snapshots) {
    await inTransaction(makingRoom(unitFor(backend)), async ({ db: tx }) => {
      await disableTimeouts(tx)
      await lockSnapshots(tx)
      if (await hasSnapshot(tx, id)) await deleteSnapshot(tx, project, id)
    })
  }
}
