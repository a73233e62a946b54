import { type Capabilities, type Database, type Fragment, sql } from '../../database/port.js'
import { afterCommit } from './after-commit.js'
import type { Sequencer } from './port.js'
import { whenWritten } from './when-written.js'

const sequencers: Readonly<Record<Capabilities['numbersChanges'], Sequencer>> = {
  'when written': whenWritten,
  'after commit': afterCommit,
}

export function sequencerFor({ capabilities }: Pick<Database, 'capabilities'>): Sequencer {
  return sequencers[capabilities.numbersChanges]
}

/** Counts created minus deleted documents among the unnumbered changes of a collection. */
export function pendingDocuments(project: Fragment, collection: Fragment): Fragment {
  return sql`(
      select count(*) filter (where p.kind = 'created') - count(*) filter (where p.kind = 'deleted')
      from pending_changes p
      where p.project_id = ${project} and p.collection_id = ${collection}
    )`
}
