/** Removes what the journal of a run still lists. */
import { openControl } from '../target/control.js'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import type { Entry, Journal } from './journal.js'
import { deleteCollection } from './run-case.js'
import type { Side } from './side.js'

interface CleanOptions {
  readonly journal: Journal
  /** The service. Undefined if it cannot be asked. */
  readonly there: Side | undefined
  readonly emulator: OwnEmulator | undefined
}

/** Returns what is left. No service has a route that deletes users. */
export async function cleanUp({ journal, there, emulator }: CleanOptions): Promise<readonly Entry[]> {
  for (const entry of journal.open()) {
    // An emulator that has stopped keeps the project in the journal.
    if (entry.kind === 'project' && emulator) await removeProject(emulator, entry, journal).catch(() => undefined)
    if (entry.kind === 'collection' && there) await removeCollection(there, entry, journal)
  }
  const left = journal.open()
  // Users stay, and are listed in the report. Nothing can be done about them later.
  for (const entry of left) if (entry.kind === 'user') journal.done(entry)
  journal.close()
  return left
}

/** Finds the throw-away project by its name, because a run may have ended before it knew the id. */
async function removeProject(emulator: OwnEmulator, entry: Entry, journal: Journal): Promise<void> {
  const { projects } = openControl(emulator)
  for (let after: string | undefined; ; ) {
    const page = await projects.list({ after })
    for (const { id, name } of page.projects) if (name === entry.name) await projects.remove({ project: id })
    if (page.next === null) break
    after = page.next
  }
  journal.done(entry)
}

const attempts = 8

/** Deletes nothing but collections of a run, whatever the journal says. */
async function removeCollection(there: Side, entry: Entry, journal: Journal): Promise<void> {
  if (!entry.name.startsWith('parity_')) return
  for (let attempt = 1; attempt <= attempts; attempt++) {
    if (!(await deleteCollection(there, entry.name).catch(() => false))) continue
    journal.done(entry)
    return
  }
}
