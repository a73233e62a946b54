/** What clients notice of a rolling restart: two hosts of `svc serve` behind HAProxy are replaced, one after the other, under load. */
import { setTimeout as pause } from 'node:timers/promises'
import { built } from '../../tools/built.js'
import { loadFixtures } from '../../tools/fixtures.js'

const rounds = 3
const writers = 6
const subscribersOfEach = 2
/** Documents that are written before, between and after the replacements. */
const documentsBetween = 150

/** @typedef {typeof import('../../../test/fixtures/ledger.js')} LedgerFixture */
/** @typedef {{ requests: number, repeated: number, failed: number, documents: number, events: number, lost: number, doubled: number }} Outcome */

/** @returns {Promise<import('../../tools/table.js').Row[]>} */
export async function measure() {
  /** @type {[typeof import('../../../test/fixtures/rolling/hosts.js'), LedgerFixture, typeof import('../../../test/cli/command-line.js')]} */
  const [{ openHosts }, ledgers, { bin }] = await loadFixtures(
    'rolling/hosts.ts',
    'ledger.ts',
    '../cli/command-line.ts',
  )
  const hosts = await openHosts(bin)
  try {
    /** @type {Outcome[]} */
    const outcomes = []
    for (let round = 0; round < rounds; round++) {
      const load = await openLoad(hosts, ledgers)
      await load.goesOn()
      for (const at of [0, 1]) {
        await hosts.replace(at, bin)
        await load.goesOn()
      }
      outcomes.push(await load.outcome())
    }
    return rowsOf(outcomes)
  } finally {
    await hosts.close()
  }
}

/** @param {Outcome[]} outcomes @returns {import('../../tools/table.js').Row[]} */
function rowsOf(outcomes) {
  const sum = (/** @type {keyof Outcome} */ name) => outcomes.reduce((all, one) => all + one[name], 0)
  const shown = (/** @type {keyof Outcome} */ name) => sum(name).toLocaleString('en')
  const row = { against: '', target: { atMost: 0 } }
  return [
    {
      ...row,
      what: 'rolling restart of two hosts: requests that fail',
      // Of all rounds together: a single one is too many, and the median of rounds would not have it.
      values: [sum('failed')],
      figures: `${shown('requests')} requests, ${shown('repeated')} repeated by their clients, ${shown('failed')} failed`,
    },
    {
      ...row,
      what: 'rolling restart of two hosts: documents and events lost or doubled',
      values: [sum('lost') + sum('doubled')],
      figures: `${shown('documents')} documents, ${shown('events')} events, ${shown('lost')} lost, ${shown('doubled')} doubled`,
    },
  ]
}

/**
 * Clients and subscribers with the settings that they have by default, at a project of their own.
 *
 * @param {import('../../../test/fixtures/rolling/hosts.js').Hosts} hosts @param {LedgerFixture} ledgers
 */
async function openLoad({ url, newProject }, { createAndUpdate, emptyLedger, listen, upload }) {
  /** @type {typeof import('../../../client/index.js')} */
  const { createClient } = await built('client/index.js')
  const { apiKey, secretKey } = await newProject()
  const sent = { requests: 0, repeated: 0 }
  /** @type {import('../../../test/fixtures/ledger.js').Owner} */
  const owner = createClient({
    ...{ url, apiKey: secretKey },
    onRequest({ attempt }) {
      if (attempt === 1) sent.requests++
      else sent.repeated++
    },
  })
  await owner.collections.create({ name: 'entries' })
  const subscribers = Array.from({ length: subscribersOfEach }, () => [
    listen({ url, apiKey, transport: 'ws' }),
    listen({ url, apiKey, transport: 'sse' }),
  ]).flat()
  const ledger = emptyLedger()
  const work = [...Array.from({ length: writers }, () => createAndUpdate(owner, ledger)), upload(owner, ledger)]

  return {
    async goesOn() {
      const least = ledger.acknowledged.size + documentsBetween
      while (ledger.acknowledged.size + ledger.failures.length < least) await pause(20)
    },
    /** @returns {Promise<Outcome>} */
    async outcome() {
      ledger.isOver = true
      await Promise.all(work)
      const { requests, repeated } = sent
      /** @type {string[]} */
      const stored = []
      for await (const { data } of owner.collection('entries').iterate()) stored.push(String(data.n))
      const wanted = [...ledger.acknowledged].map(String)
      const expected = wanted.flatMap((n) => [`created ${n}`, `updated ${n}`])
      const received = await Promise.all(subscribers.map((one) => receivedBy(one, expected.length)))
      const compared = [compare(stored, wanted), ...received.map((events) => compare(events, expected))]
      return {
        ...{ requests, repeated, failed: ledger.failures.length + ledger.refusedFiles },
        ...{ documents: wanted.length, events: received.reduce((all, { length }) => all + length, 0) },
        lost: compared.reduce((all, { lost }) => all + lost, 0),
        doubled: compared.reduce((all, { doubled }) => all + doubled, 0),
      }
    },
  }
}

/** How long nothing may come before what is missing is taken for lost: a subscriber connects anew within it. */
const silentMilliseconds = 30_000

/**
 * What a subscriber has received once it has as much as is expected, or once nothing more comes; and a moment later, for what comes twice.
 *
 * @param {ReturnType<LedgerFixture['listen']>} subscriber @param {number} expected
 */
async function receivedBy({ changes, stop }, expected) {
  let [count, since] = [-1, Date.now()]
  while (changes.length < expected && Date.now() - since < silentMilliseconds) {
    if (changes.length !== count) [count, since] = [changes.length, Date.now()]
    await pause(20)
  }
  await pause(1_000)
  stop()
  return changes.map(({ kind, document }) => `${kind} ${document.data.n}`)
}

/**
 * What was not acknowledged may have been carried out: it is neither lost nor, once, doubled.
 *
 * @param {string[]} found @param {string[]} expected
 */
function compare(found, expected) {
  const known = new Set(found)
  return { lost: expected.filter((one) => !known.has(one)).length, doubled: found.length - known.size }
}
