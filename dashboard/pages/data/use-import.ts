/** Reads rows to import, and creates their documents in batches. A failed import goes on where it stopped. */
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Client, Fields } from '../../../client/index.js'
import { placed } from '../../../client/protocol/model/errors.js'
import { useUndo } from '../../frame/undo.js'
import { readRows } from '../../parts/rows/csv.js'
import { isMissing } from '../../parts/states.js'
import { useStop } from '../../parts/use-stop.js'
import { useSession } from '../../session/context.js'

const batchSize = 500
const maxCharacters = 2_000_000

interface Created {
  readonly rows: readonly Fields[]
  readonly lastId: string
}

const nothing: Created = { rows: [], lastId: '' }

interface Taken {
  readonly rows: readonly Fields[]
  /** First integer that is imported as text because a number would change it. */
  readonly kept?: string | undefined
  /** Why the input cannot be read. */
  readonly wrong?: unknown
}

export function useImport(name: string, onDone: () => void) {
  const { client, owner } = useSession()
  const { doUndoably } = useUndo()
  const [{ rows, kept, wrong }, setTaken] = useState<Taken>({ rows: [] })
  const [done, setDone] = useState(0)
  /** Rows that a failed attempt created. A retry skips them if it starts with the same rows. */
  const created = useRef(nothing)
  const stop = useStop()

  async function take(read: () => Promise<string>) {
    create.reset()
    try {
      let first: string | undefined
      const taken = await readRows(await read(), (literal) => {
        first ??= literal
      })
      setTaken({ rows: taken, kept: first })
      setDone(beginsWith(taken, created.current.rows) ? created.current.rows.length : 0)
    } catch (error) {
      setTaken({ rows: [], wrong: error })
      setDone(0)
    }
  }

  async function createBatch(from: number) {
    const batch = rows.slice(from, from + countFitting(rows, from))
    const documents = await client
      .collection(name)
      .createMany(batch)
      .catch((error) => {
        // The service counts rows within the request, so add the offset.
        throw placed(error, ([row, ...path]) => (typeof row === 'number' ? [from + row, ...path] : path))
      })
    const to = from + batch.length
    created.current = { rows: rows.slice(0, to), lastId: documents.at(-1)?.id ?? '' }
    setDone(to)
    return to
  }

  const create = useMutation({
    async mutationFn() {
      if (done > 0 && !(await isThere(owner, name, created.current.lastId))) {
        created.current = nothing
        setDone(0)
        throw new Error('The documents that were created already no longer exist. Try again to create all of them.')
      }
      return doUndoably(`Imported into ${name}`, `docs import ${name}`, async () => {
        for (let at = done; at < rows.length; ) {
          stop().throwIfAborted()
          at = await createBatch(at)
        }
      })
    },
    onSuccess: (isDone) => isDone && onDone(),
  })

  return { rows, kept, done, take, start: create.mutate, isRunning: create.isPending, failure: wrong ?? create.error }
}

/** Checks whether earlier rows still exist, because the user may have undone the attempt. */
async function isThere(owner: Client, name: string, id: string): Promise<boolean> {
  try {
    await owner.collection(name).get(id)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

function beginsWith(rows: readonly Fields[], beginning: readonly Fields[]): boolean {
  return beginning.every((row, at) => JSON.stringify(row) === JSON.stringify(rows[at]))
}

/** Returns how many rows fit into one request. */
function countFitting(rows: readonly Fields[], from: number): number {
  let characters = 0
  let count = 0
  for (const row of rows.slice(from, from + batchSize)) {
    characters += JSON.stringify(row).length
    if (count > 0 && characters > maxCharacters) break
    count++
  }
  return count
}
