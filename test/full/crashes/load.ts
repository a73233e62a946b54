/** Writers that continue whatever fails, and a ledger of their acknowledged writes. */
import { SvcError } from '../../../client/index.js'
import { allChanges, type clientOf, compareChanges, isAsKnown, type Known } from '../../fixtures/kills/under-writes.js'

export interface Load {
  /** How many writes were acknowledged. */
  acknowledged(): number
  refused(): number
  stop(): Promise<void>
  /** Differences from what was acknowledged; all are empty where nothing was lost. */
  findings(): Promise<Findings>
}

export interface Findings {
  readonly lost: readonly string[]
  /** Documents that differ from what their changes say. */
  readonly different: readonly string[]
  /** Numbers of changes after a gap. */
  readonly gaps: readonly number[]
  readonly miscounted: readonly string[]
  /** Failures that a service may not answer while its dependencies fail. */
  readonly unexpected: readonly string[]
}

const writers = 6
const updates = 3

type Client = ReturnType<typeof clientOf>

/** @param client a client of the service, whose address may change at a restart */
export function openLoad(client: () => Client): Load {
  const entries = () => client().collection('entries')
  const known = new Map<string, Known>()
  const unexpected: string[] = []
  const state = { isOver: false, acknowledged: 0, refused: 0 }

  async function tried<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await work()
      state.acknowledged++
      return result
    } catch (error) {
      state.refused++
      const isExpected = error instanceof SvcError && ['UNAVAILABLE', 'NETWORK'].includes(error.code)
      if (!isExpected) unexpected.push(String(error))
      return undefined
    }
  }

  async function write() {
    for (let turn = 0; !state.isOver; turn++) {
      const created = await tried(() => entries().create({ n: 0 }))
      if (!created) continue
      const entry: Known = { least: 0, most: 0, removal: 'none' }
      known.set(created.id, entry)
      for (let n = 1; n <= updates; n++) {
        entry.most = n
        if (await tried(() => entries().update(created.id, { n }))) entry.least = n
      }
      if (turn % 2 === 1) continue
      entry.removal = 'tried'
      if (await tried(() => entries().delete(created.id))) entry.removal = 'done'
    }
  }

  const writing = Array.from({ length: writers }, write)
  return {
    acknowledged: () => state.acknowledged,
    refused: () => state.refused,
    async stop() {
      state.isOver = true
      await Promise.all(writing)
    },
    findings: async () => ({ ...(await find(client(), known)), unexpected }),
  }
}

async function find(client: Client, known: ReadonlyMap<string, Known>) {
  const entries = client.collection('entries')
  const changes = await allChanges(entries)
  const found = new Map<string, number>()
  for await (const { id, data } of entries.iterate()) if (data.n >= 0) found.set(id, data.n)
  const { documentCount = 0 } = await client.collections.get('entries')
  const counted = documentCount - 1
  return {
    lost: [...known].filter(([id, entry]) => !isAsKnown(found.get(id), entry)).map(([id]) => id),
    ...compareChanges(changes, found),
    miscounted: counted === found.size ? [] : [`${counted} counted, ${found.size} found`],
  }
}
