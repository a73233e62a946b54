import { diffSnapshots, type SnapshotDiff } from '../../core/snapshots/diff.js'
import { loadSnapshot } from '../../core/snapshots/load.js'
import { writeNewestFile } from '../../core/snapshots/newest-file.js'
import {
  getSnapshot,
  listSnapshots,
  removeSnapshot,
  type StoredSnapshot,
  saveAutomatically,
  saveSnapshot,
} from '../../core/snapshots/snapshots.js'
import { finishCommand, undoCommand } from '../../core/snapshots/undo.js'
import type { ControlHandlers } from './control-routes.js'

export const snapshots: ControlHandlers['snapshots'] = {
  async save(backend, { params, request }) {
    if (!('command' in request)) return shown(await saveSnapshot(backend, params.project, request))
    const saved = await saveAutomatically(backend, params.project, request)
    await writeNewestFile(backend, params.project, saved)
    return shown(saved)
  },
  list: async (backend, { params }) => ({ snapshots: (await listSnapshots(backend, params.project)).map(shown) }),
  get: async (backend, { params }) => shown(await getSnapshot(backend, params.project, params.snapshot)),
  async diff(backend, { params, request: { to } }) {
    const found = await diffSnapshots(backend, params.project, { from: params.snapshot, to })
    return {
      ...{ from: params.snapshot, to: to ?? null, isSame: found.isSame, settings: found.settings },
      documents: found.documents.map((each) => ({ collection: each.collection, ...shownDifferences(each) })),
      collections: shownDifferences(found.collections),
      users: shownDifferences(found.users),
      files: shownDifferences(found.files),
      accounts: shownDifferences(found.accounts),
    }
  },
  async load(backend, { params }) {
    const { snapshot, lacking } = await loadSnapshot(backend, params.project, params.snapshot)
    return { ...shown(snapshot), lacking }
  },
  remove: async (backend, { params }) => shown(await removeSnapshot(backend, params.project, params.snapshot)),
  async finish(backend, { params }) {
    const isKept = await finishCommand(backend, params.project, params.snapshot)
    return { name: params.snapshot, isKept }
  },
  async undo(backend, { params, request }) {
    const { outcomes, ...undone } = await undoCommand(backend, params.project, request.snapshot)
    return { ...undone, ...outcomes }
  },
}

/** Leaves out the id, because snapshots are identified by name. */
function shown({ id, ...snapshot }: StoredSnapshot) {
  return snapshot
}

function shownDifferences({ counts, records }: SnapshotDiff['users']) {
  return { ...counts, records }
}
