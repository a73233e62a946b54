/** Saves the last use of keys once a minute, because every request uses one. */
import type { KeyUses } from '../core/context.js'
import type { Database } from '../database/port.js'
import { updateKeyUses } from '../store/projects.js'
import { openRounds, type Rounds } from './rounds.js'

const everyMilliseconds = 60_000

/** Uses since the last round are lost if the process is killed. */
export function openKeyUses(db: Database, report: (error: unknown) => void): KeyUses & Rounds {
  let used = new Map<string, number>()

  async function write() {
    if (used.size === 0) return
    const written = used
    used = new Map()
    await updateKeyUses(db, new Map([...written].map(([id, at]) => [id, new Date(at).toISOString()])))
  }

  const rounds = openRounds({ report, everyMilliseconds, work: write })
  return {
    ...rounds,
    note: (key, at) => void used.set(key, at.getTime()),
    write,
    async close() {
      await rounds.close()
      await write().catch(report)
    },
  }
}
