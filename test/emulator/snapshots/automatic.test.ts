/** Automatic snapshots share a storage limit, and a full disk fails only the save. Contract 12.6. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { trimAutomatic } from '../../../emulator/core/snapshots/automatic.js'
import {
  listSnapshots,
  removeSnapshot,
  saveAutomatically,
  saveSnapshot,
} from '../../../emulator/core/snapshots/snapshots.js'
import { undoCommand } from '../../../emulator/core/snapshots/undo.js'
import { type Database, DatabaseError } from '../../../emulator/database/port.js'

let service: Service
beforeAll(async () => {
  service = await openService({ ...defaultConfig, memory: true })
})
afterAll(() => service.close())

it('contract 12.6 the oldest automatic snapshots go first, and none that was asked for', async () => {
  const { backend, project } = service
  await saveSnapshot(backend, project.id, { name: 'asked-for' })
  const saved = []
  for (const command of ['first', 'second', 'third']) {
    saved.push(await saveAutomatically(backend, project.id, { command }))
  }
  const [newest] = saved.slice(-1)
  if (!newest) throw new Error('Nothing was saved.')

  await trimAutomatic(backend, newest, { limitBytes: newest.bytes * 2.5 })
  const kept = await listSnapshots(backend, project.id)
  const refused = await trimAutomatic(backend, newest, { limitBytes: newest.bytes - 1 }).catch(({ code }) => code)

  expect(kept.map(({ name, command }) => command ?? name)).toEqual(['third', 'second', 'asked-for'])
  expect(refused).toBe('STORAGE_LIMIT')
  const left = await listSnapshots(backend, project.id)
  expect(left.map(({ name, command }) => command ?? name)).toEqual(['second', 'asked-for'])
})

it('contract 12.6 files count once, and only where neither the project nor a snapshot that was asked for has them', async () => {
  const { backend, project, url, secretKey = '' } = service
  const owner = createClient({ url, apiKey: secretKey })
  const [large, other] = [
    await owner.files.upload(new File([new Uint8Array(3_000_000)], 'large.bin')),
    await owner.files.upload(new File([new Uint8Array(5_000_000)], 'other.bin')),
  ]
  const asked = await saveSnapshot(backend, project.id, { name: 'with-files' })
  const first = await saveAutomatically(backend, project.id, { command: 'before one' })
  const last = await saveAutomatically(backend, project.id, { command: 'before two' })
  const commandsAfter = async (mostBytes: number) => {
    const refused = await trimAutomatic(backend, last, { limitBytes: mostBytes }).catch(({ message }) => message)
    const left = await listSnapshots(backend, project.id)
    return { refused, commands: left.flatMap(({ command }) => (command?.startsWith('before') ? [command] : [])) }
  }
  const both = { refused: undefined, commands: ['before two', 'before one'] }
  const data = first.bytes + last.bytes

  expect(await commandsAfter(data)).toEqual(both)
  await owner.files.delete(large.id)
  await owner.files.delete(other.id)
  expect(await commandsAfter(data)).toEqual(both)
  await removeSnapshot(backend, project.id, asked.name)
  expect(await commandsAfter(data + 8_000_000)).toEqual(both)
  expect(await commandsAfter(7_000_000)).toEqual({
    refused: expect.stringMatching(
      /^A snapshot before "before two" takes 7\.\d MB\. Automatic snapshots can take at most 6\.7 MB\.$/,
    ),
    commands: ['before one'],
  })
})

it('contract 12.6 the newest is the one that was saved last, also where the clock went back', async () => {
  const { backend, project } = service
  backend.clocks.service.set(new Date('2099-01-01T00:00:00Z'))
  await saveAutomatically(backend, project.id, { command: 'in the future' })
  backend.clocks.service.reset()
  const last = await saveAutomatically(backend, project.id, { command: 'last' })

  const listed = await listSnapshots(backend, project.id)
  await trimAutomatic(backend, last, { limitBytes: last.bytes * 1.5 })
  const undone = await undoCommand(backend, project.id)

  expect(listed.slice(0, 2).map(({ command }) => command)).toEqual(['last', 'in the future'])
  expect(undone).toMatchObject({ command: 'last' })
})

it('contract 11 a disk that is full at any statement of a save leaves the snapshots that were there, and nothing else', async () => {
  const { backend, project } = service
  await saveSnapshot(backend, project.id, { name: 'kept' })
  const before = await listSnapshots(backend, project.id)
  const outcomes: unknown[] = []
  const save = (full: number) =>
    saveSnapshot({ ...backend, db: fullAt(backend.db, full) }, project.id, { name: 'kept', replace: true })
  for (let full = 1; outcomes.at(-1) !== 'saved' && full < 20; full++) {
    outcomes.push(
      await save(full).then(
        () => 'saved',
        ({ sqlState }) => sqlState,
      ),
    )
    if (outcomes.at(-1) !== 'saved') expect(await listSnapshots(backend, project.id)).toEqual(before)
  }

  expect(outcomes.length).toBeGreaterThan(2)
  expect(new Set(outcomes)).toEqual(new Set(['53100', 'saved']))
})

/** A database whose disk is full from the given space-taking statement on. */
function fullAt(db: Database, statement: number): Database {
  let left = statement
  const over = (inner: Database): Database => ({
    ...inner,
    async query(asked) {
      if (asked.takesSpace && --left <= 0) throw new DatabaseError('The disk is full.', '53100')
      return inner.query(asked)
    },
    async batch(asked) {
      if (asked.some(({ takesSpace }) => takesSpace && --left <= 0))
        throw new DatabaseError('The disk is full.', '53100')
      return inner.batch(asked)
    },
    transaction: (work) => inner.transaction((tx) => work(over(tx))),
  })
  return over(db)
}
