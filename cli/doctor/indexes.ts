import { formatBytes } from '../../client/protocol/model/figures.js'
import { openControl } from '../target/control.js'
import { type Finding, type Patient, type Seen, well } from './finding.js'

interface Index {
  readonly collection: string
  readonly field: string
  readonly bytes: number
  readonly madeAt: string
  readonly isReady: boolean
}

/** Allows plenty of time: indexing a million documents takes seconds. */
const longMilliseconds = 10 * 60_000

/** Checks the indexes that the emulator creates and drops for fast lists. */
export async function checkIndexes({ emulator }: Patient): Promise<Seen> {
  if (!emulator) return well('checked only while an emulator runs')
  const control = openControl(emulator)
  const [{ indexes }, { now }] = await Promise.all([
    control.indexes.list({ project: emulator.projectId }),
    control.clock.get(),
  ])
  return seenIndexes(indexes, new Date(now))
}

export function seenIndexes(indexes: readonly Index[], now: Date): Seen {
  const bytes = indexes.reduce((sum, index) => sum + index.bytes, 0)
  const stuck = indexes.filter(
    ({ isReady, madeAt }) => !isReady && now.getTime() - new Date(madeAt).getTime() > longMilliseconds,
  )
  const findings = stuck.map(
    ({ collection, field }): Finding => ({
      code: 'INDEX_NOT_READY',
      level: 'wrong',
      message: `The index on "${field}" of "${collection}" has not become ready for a long time, so lists that need it are slow.`,
      remedy: 'Restart the emulator to rebuild it: svc stop, then svc dev',
    }),
  )
  return { said: indexes.length === 0 ? 'none needed' : `${indexes.length} kept, ${formatBytes(bytes)}`, findings }
}
