import { describe, expect, it } from 'vitest'
import { type BatchMember, scanBody } from './scan-json.js'

const filled = (item: string, count: number) => Array.from({ length: count }, () => item).join()
const keys = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":1`).join()
const megabyte = 1024 * 1024

describe('what the text of a body says of its size', () => {
  it.each<[what: string, body: string, batch: BatchMember | undefined, code: string]>([
    ['10 MB of {} in a document', `{"a":[${filled('{}', 3_000_000)}]}`, undefined, 'PAYLOAD_TOO_LARGE'],
    ['10 MB of {} in a batch', `{"documents":[${filled('{}', 3_000_000)}]}`, 'documents', 'VALIDATION_ERROR'],
    [
      '10 MB of {} in a batch whose name is escaped',
      `{"\\u0064ocuments":[${filled('{}', 3_000_000)}]}`,
      'documents',
      'VALIDATION_ERROR',
    ],
    ['1,001 updates', `{"updates":{${filled('"x":{}', 1_001)}}}`, 'updates', 'VALIDATION_ERROR'],
    ['700,000 keys', `{${keys(700_000)}}`, undefined, 'PAYLOAD_TOO_LARGE'],
    ['700,000 keys in a batch', `{"documents":[{},{${keys(700_000)}}]}`, 'documents', 'PAYLOAD_TOO_LARGE'],
    ['700,000 keys beside a batch', `{"documents":[],${keys(700_000)}}`, 'documents', 'PAYLOAD_TOO_LARGE'],
    [
      'a heavy document in a batch',
      `{"documents":[{},{"a":"${'x'.repeat(2 * megabyte)}"}]}`,
      'documents',
      'PAYLOAD_TOO_LARGE',
    ],
    ['200,010 values', `{"a":[${filled('[ ]', 200_010)}]}`, undefined, 'PAYLOAD_TOO_LARGE'],
    ['200,010 values below each other', `{"a":[${filled('[1]', 100_005)}]}`, undefined, 'PAYLOAD_TOO_LARGE'],
    [
      '1,100,000 values',
      `{"documents":[${filled(`[${filled('1', 110_000)}]`, 10)}]}`,
      'documents',
      'PAYLOAD_TOO_LARGE',
    ],
    ['10 MB of [', '['.repeat(10 * megabyte), undefined, 'PAYLOAD_TOO_LARGE'],
  ])('is refused before it is parsed: %s', async (_what, body, batch, code) => {
    await expect(scanBody(Buffer.from(body), batch)).rejects.toMatchObject({ code })
  })

  it.each<[what: string, body: string, batch: BatchMember | undefined]>([
    ['1,000 documents of 600 keys', `{"documents":[${filled(`{${keys(600)}}`, 1_000)}]}`, 'documents'],
    ['1,000 updates', `{"updates":{${filled('"x":{"data":{"a":1},"$append":{}}', 1_000)}}}`, 'updates'],
    [
      '10 documents of nearly 1 MB',
      `{"documents":[${filled(`{"a":"${'x'.repeat(megabyte - 20)}"}`, 9)}]}`,
      'documents',
    ],
    ['10,000 keys in a wrapper', `{"data":{${keys(10_000)}},"$append":{}}`, undefined],
    ['a text of 1 MB in escapes', `{"a":"${'\\u0061'.repeat(megabyte - 10)}"}`, undefined],
    ['200,000 values in a wrapper', `{"data":{"a":[${filled('[ ]', 199_999)}]}}`, undefined],
    ['990,000 values', `{"documents":[${filled(`{"a":[${filled('[]', 198_000)}]}`, 5)}]}`, 'documents'],
    ['brackets and commas in a text', `{"a":"${'[{,:'.repeat(200_000)}"}`, undefined],
    ['text that is not JSON', 'nothing', undefined],
  ])('is let through: %s', async (_what, body, batch) => {
    await expect(scanBody(Buffer.from(body), batch)).resolves.toBeGreaterThanOrEqual(0)
  })

  it.each<[body: string, batch: BatchMember | undefined, values: number]>([
    ['{}', undefined, 0],
    ['{"a":1,"b":[],"c":[1,[2,3]],"d":{"e":"x,y"}}', undefined, 9],
    [`{"documents":[${filled('{"a":1,"b":[1,2]}', 100)}]}`, 'documents', 402],
  ])('counts the values, except in documents after the first: %s', async (body, batch, values) => {
    expect(await scanBody(Buffer.from(body), batch)).toBe(values)
  })

  it('contract 10.10 is scanned 256 KB per turn', async () => {
    let [turns, isDone] = [0, false]
    const count = () => {
      turns++
      if (!isDone) setImmediate(count)
    }

    setImmediate(count)
    await scanBody(Buffer.alloc(8 * megabyte, ' '), undefined)
    isDone = true

    expect(turns).toBeGreaterThanOrEqual(31)
  })
})
