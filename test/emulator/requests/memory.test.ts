/** The memory limit of the request log, whatever the number and size of requests. */
import { expect, it } from 'vitest'
import { type KeptBody, type KeptRequest, openRequestLog } from '../../../emulator/core/requests/request-log.js'

const nothing = { type: null, bytes: 0, content: null, isCut: false, isMasked: false, leftOut: 'empty' } as const
const timing = { total: 1, receiving: 0, queue: 0, database: 0, hashing: 0, writing: 0 }

function aRequest(number: number, content: string): KeptRequest {
  const body: KeptBody = { ...nothing, type: 'text/plain', bytes: content.length, content, leftOut: null }
  return {
    ...{
      id: `request-${number}`,
      at: number,
      state: 'answered',
      method: 'POST',
      url: '/',
      route: null,
      isSecret: false,
    },
    ...{ project: number % 2 === 0 ? 'even' : 'odd', caller: undefined, dialect: 'a', status: 200, error: undefined },
    ...{ address: '', origin: null, headers: {}, body, answerHeaders: {}, answerBody: nothing, timing },
    ...{ statements: [], statementCount: 0, hasCallerLeft: false, replayOf: null },
  }
}

const bytesOf = (requests: readonly KeptRequest[]) =>
  requests.reduce((sum, { body }) => sum + 2 * (body.content?.length ?? 0), 0)

it('contract 11 the last 1,000 requests are kept, and of large ones the newest bodies, 32 MB of them', () => {
  const log = openRequestLog({ isOn: true })
  const content = 'x'.repeat(64 * 1024)

  for (let number = 0; number < 2_500; number++) log.add(aRequest(number, content))

  const kept = log.list()
  expect(kept).toHaveLength(1_000)
  expect(kept[0]?.id).toBe('request-2499')
  expect(log.get('request-1499')).toBeUndefined()
  expect(bytesOf(kept)).toBe(32 * 1024 * 1024)
  expect(kept[0]?.body.content).toBe(content)
  expect(log.get('request-1500')?.body).toMatchObject({ content: null, leftOut: 'memory', bytes: content.length })
})

it('contract 11 the last 200 refused requests of each project are kept beside them', () => {
  const log = openRequestLog({ isOn: true })
  const content = 'x'.repeat(1024)
  const refused = (number: number) => ({ ...aRequest(number, content), status: 403 })
  const idsOf = (project: string) =>
    log.list().flatMap(({ id, status, project: of }) => (status === 403 && of === project ? [id] : []))

  // Twice as many as are kept of the one, fewer of the other.
  for (let number = 0; number < 800; number += 2) log.add(refused(number))
  for (let number = 1; number < 21; number += 2) log.add(refused(number))
  for (let number = 1_000; number < 6_000; number++) log.add(aRequest(number, content))

  const kept = log.list()
  expect(kept).toHaveLength(1_210)
  expect([idsOf('even').length, idsOf('even').at(-1), idsOf('odd').length]).toEqual([200, 'request-400', 10])
  expect(kept.slice(0, 1_000).every(({ status }) => status === 200)).toBe(true)
  expect(log.get('request-400')?.body.content).toBe(content)
  expect([log.get('request-398'), log.get('request-4999')]).toEqual([undefined, undefined])
})

it('contract 11 refused requests of many projects are kept up to 2,000 in all', () => {
  const log = openRequestLog({ isOn: true })

  for (let number = 0; number < 6_000; number++) {
    log.add({ ...aRequest(number, 'x'), project: `project-${number % 50}`, status: 403 })
  }

  expect(log.list()).toHaveLength(3_000)
  expect(log.get('request-2999')).toBeUndefined()
})

it('contract 11 what is forgotten makes room for bodies again', () => {
  const log = openRequestLog({ isOn: true })
  const content = 'x'.repeat(64 * 1024)
  for (let number = 0; number < 400; number++) log.add(aRequest(number, content))

  const count = log.clear('even')
  for (let number = 400; number < 500; number++) log.add(aRequest(number, content))

  expect(count).toBe(200)
  expect(log.list().every(({ id, body }) => Number(id.slice(8)) < 144 || body.content === content)).toBe(true)
  expect(bytesOf(log.list())).toBeLessThanOrEqual(32 * 1024 * 1024)
})
