import { expect, it } from 'vitest'
import type { Answer } from './answers.js'
import { cleanUp } from './clean.js'
import type { Entry, Journal } from './journal.js'
import type { Side } from './side.js'

const made: Entry = { kind: 'collection', name: 'parity_run_rows_1' }

function openJournal(...entries: Entry[]): Journal {
  const open = new Set(entries)
  return {
    ...{ run: 'run', folder: '' },
    add: (entry) => void open.add(entry),
    done: (entry) => void open.delete(entry),
    open: () => [...open],
    close: () => undefined,
  }
}

/** A service that answers one deletion after the other with these statuses, and the last one again. */
function serviceAnswering(...statuses: [number, ...number[]]): Side {
  const send = async () => ({ status: statuses.length > 1 ? statuses.shift() : statuses[0] }) as Answer
  return { name: 'there', url: '', key: undefined, send }
}

it.each([
  ['stays in the journal while the service refuses to delete it', serviceAnswering(503), [made]],
  ['leaves the journal once the service has deleted it', serviceAnswering(503, 503, 200), []],
  ['leaves the journal if the service does not know it', serviceAnswering(404), []],
])('a collection of a run %s', async (_, there, left) => {
  const journal = openJournal(made)

  expect(await cleanUp({ journal, there, emulator: undefined })).toEqual(left)
  expect(journal.open()).toEqual(left)
})
